import { expect, test } from "vitest";
import { describeDevice } from "./describe-device.ts";

const MOZILLA = "Mozilla/5.0";
const APPLE = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, "Firefox on Linux"],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${APPLE} Chrome/140.0.0.0 Safari/537.36`,
    "Chrome on Windows",
  ],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${APPLE} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    "Edge on Windows",
  ],
  [
    `${MOZILLA} (Linux; Android 10; K) ${APPLE} Chrome/140.0.0.0 Mobile Safari/537.36`,
    "Chrome on Android",
  ],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`,
    "Safari on an iPhone",
  ],
  ["curl/8.14.1", "curl/8.14.1"],
])("%s is %s", (userAgent, browser) => {
  expect(describeDevice({ userAgent, address: null })).toBe(browser);
  expect(describeDevice({ userAgent, address: "192.0.2.1" })).toBe(`${browser}, 192.0.2.1`);
});

test("a session that is older than accounts has neither", () => {
  expect(describeDevice({ userAgent: null, address: null })).toBe("unknown browser");
});
