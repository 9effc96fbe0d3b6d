import { expect, test } from "vitest";
import { parseConfiguredTokens } from "../src/access/configured-tokens.ts";
import {
  hasQuickstartTokens,
  createConfiguredTokens,
} from "../src/access/create-configured-tokens.ts";
import { seed } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

describeStorages("hasQuickstartTokens()", (source) => {
  test("finds the public tokens, and no others", async () => {
    const storage = await source.openFresh();
    await seed(storage);
    expect(await storage.read(hasQuickstartTokens)).toBe(false);

    const lists = { admin: [], backend: ["*:development.demo-backend-token-local"], frontend: [] };
    await createConfiguredTokens(storage, parseConfiguredTokens(lists).tokens);
    expect(await storage.read(hasQuickstartTokens)).toBe(true);
  });
});
