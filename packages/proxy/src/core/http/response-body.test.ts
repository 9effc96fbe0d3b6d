import { expect, test } from "vitest";
import { toEntityTag } from "flags-sdk/neutral";
import { ResponseBody, toBinaryString } from "./response-body.ts";

function bodyOf(text: string): ResponseBody {
  return new ResponseBody(toBinaryString(text), toEntityTag(text));
}

/** Sends a body twice, after which it is a buffer. */
function send(body: ResponseBody): ResponseBody {
  body.bytesToSend();
  expect(body.bytesToSend()).toBeInstanceOf(Buffer);
  return body;
}

test.each(["flags", "größer 🚩", "x".repeat(200_000)])(
  "a body can be sent twice: %.20s",
  (text) => {
    for (const body of [bodyOf(text), send(bodyOf(text))]) {
      expect(Buffer.from(body.bytesToSend() as string, "latin1").toString()).toBe(text);
      expect(body.toBuffer().toString()).toBe(text);
    }
  },
);

test("equals() compares bytes, whether they are a string or a buffer", () => {
  for (const prepare of [(body: ResponseBody) => body, send]) {
    expect(bodyOf("größer").equals(prepare(bodyOf("größer")))).toBe(true);
    expect(prepare(bodyOf("größer")).equals(bodyOf("größer"))).toBe(true);
    expect(prepare(bodyOf("größer")).equals(bodyOf("kleiner"))).toBe(false);
  }
});
