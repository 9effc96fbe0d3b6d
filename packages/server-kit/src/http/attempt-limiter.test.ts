import { expect, test } from "vitest";
import { AttemptLimiter } from "./attempt-limiter.ts";

test("AttemptLimiter counts attempts per network and in total, except those given back", () => {
  let nowMs = 0;
  const limits = {
    perAddress: { burst: 2, perSecond: 1 },
    total: { burst: 3, perSecond: 0.5 },
  };
  const limiter = new AttemptLimiter(
    limits,
    (seconds) => new Error(`wait ${seconds} s`),
    () => nowMs,
  );
  limiter.take("192.0.2.1", 1)(1);
  limiter.take("192.0.2.1", 2);
  expect(() => limiter.take("192.0.2.1", 1)).toThrow("wait 1 s");
  limiter.take("192.0.2.2", 1);
  expect(() => limiter.take("192.0.2.2", 1)).toThrow("wait 2 s");
  nowMs += 2000;
  limiter.take("192.0.2.2", 1);
  expect(() => limiter.take("192.0.2.1", 1)).toThrow("wait 2 s");
});
