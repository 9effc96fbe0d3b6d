import { expect, test } from "vitest";
import { sharedEvent } from "./shared-event.ts";

test("sharedEvent() writes a message once for each name", () => {
  const message = { id: 7, text: "{}" };
  const bytes = sharedEvent("updated", message);
  expect(bytes.toString()).toBe("event: updated\nid: 7\ndata: {}\n\n");
  expect(sharedEvent("updated", message)).toBe(bytes);
  expect(sharedEvent("connected", message).toString()).toContain("event: connected\n");
  expect(sharedEvent("updated", { ...message })).not.toBe(bytes);
});
