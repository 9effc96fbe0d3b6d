import { expect, test } from "vitest";
import { TABLE } from "./_settings.ts";
import { resolveSettings } from "./resolve.ts";
import { collectSecrets } from "./secrets.ts";

test("collectSecrets() finds the texts of secret settings, in lists and objects as well", () => {
  const options = { labels: { keys: "k1,k2", headers: { a: "h1", b: "h2" } } };
  const environment = { HTTP_PROXY: "http://user:p1@proxy.test", SHOP_PIN: "1234" };
  const { values } = resolveSettings(TABLE, { options, environment });
  expect(collectSecrets(TABLE, values)).toEqual(["p1", "k1", "k2", "h1", "h2"]);
});

test("collectSecrets() leaves out what is empty or not set", () => {
  const { values } = resolveSettings(TABLE, { environment: { HTTP_PROXY: "http://proxy.test" } });
  expect(collectSecrets(TABLE, { ...values, keys: [] })).toEqual([]);
});
