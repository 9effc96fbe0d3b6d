import { expect, test } from "vitest";
import { showAddress, showText } from "./show-text.ts";

test.each([
  ["http://user:s3cret@h/api", '"http://***@h/api"'],
  ["http://s3cret@h/api", '"http://***@h/api"'],
  ["https://h/api?token=s3cret", '"https://h/api?***"'],
  ["https://h/api#s3cret", '"https://h/api#***"'],
  ["https://user:s3cret@h/api?token=s3cret#s3cret", '"https://***@h/api?***"'],
  ["https://h/api?mail=a@b&token=s3cret", '"https://***"'],
  ["http://user:s3#cret@h/api", '"http://***"'],
  ["http://user:s3/cret@h/api", '"http://***@h/api"'],
  ["user:s3cret@h/api", '"***@h/api"'],
  ["http:/user:s3cret@h", '"***@h"'],
  ["h/api?token=s3cret", '"h/api?***"'],
  ["ftp://h/path", '"ftp://h/path"'],
  ["h", '"h"'],
])("showAddress() shows %j as %s", (address, shown) => {
  expect(showAddress(address)).toBe(shown);
});

test.each([
  ["what?", '"what?"'],
  ["a\nb", '"a\\nb"'],
  ["http://user:s3cret@h?a", '"http://***@h?***"'],
  ["user:s3cret@h", '"***@h"'],
])("showText() shows %j as %s", (text, shown) => {
  expect(showText(text)).toBe(shown);
});

test("showText() shortens long text", () => {
  expect(showText("x".repeat(1000)).length).toBeLessThan(200);
});
