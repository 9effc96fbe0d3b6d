import { expect, test } from "vitest";
import { TABLE } from "../../test/_settings.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { SettingGroup } from "./setting.ts";
import { showSettings } from "./show-settings.ts";

test("showSettings() shows values by variable or option, without secrets", () => {
  const { values } = resolveSettings(TABLE, {
    options: { labels: { keys: "k1,k2", headers: { a: "h1" } } },
    environment: { HTTP_PROXY: "http://user:p1@proxy.test:3128" },
  });
  const shown = showSettings(TABLE, values);
  expect(shown).toMatchObject({
    PORT: 3000,
    HTTP_PROXY: "http://[redacted]@proxy.test:3128/",
    SHOP_KEYS: ["[redacted]", "[redacted]"],
    "labels.headers": "[redacted]",
  });
  expect(shown).not.toHaveProperty("SHOP_NAME");
  const defaults = resolveSettings(TABLE, { environment: {} }).values;
  expect(showSettings(TABLE, defaults)).toMatchObject({ "labels.headers": {} });
  for (const secret of ["p1", "k1", "k2", "h1"]) {
    expect(JSON.stringify(shown)).not.toContain(secret);
  }
});

class Storage {
  readonly password = "hidden";
  readonly port = 1;
}

test.each([
  ["http://host.test/flags?key=hidden", "http://host.test/flags?[redacted]"],
  ["postgres://user:hidden@host.test/db#hidden", "postgres://[redacted]@host.test/db?[redacted]"],
  ["http://user:hidden@[", "[redacted]"],
  ["https://shop.test:8443", "https://shop.test:8443"],
  [
    [{ name: "beta", isEnabled: () => true }, "./strategies.js"],
    ["beta", "./strategies.js"],
  ],
  [/\.test$/, "/\\.test$/"],
  [{ region: "eu" }, { region: "eu" }],
  [new Storage(), "set in code"],
  [() => "hidden", "set in code"],
])("showSettings() shows the value %o as %o", (value, expected) => {
  const table = {
    any: new SettingGroup("Other").variable("ANY", {
      kind: { allowed: "anything", parse: (sent: unknown) => sent },
      description: "A setting.",
    }),
  };
  expect(showSettings(table, { any: value })).toEqual({ ANY: expected });
});
