import type { IncomingMessage } from "node:http";
import { parseQueryContext } from "../context/parse-query.ts";
import { isValid } from "../http/validation.ts";
import type { Asked, BodyForm } from "../routes/body-form.ts";
import { type MarkedText, withMark } from "./marked-text.ts";
import { offerBody, type Taker } from "./short-body.ts";

/** What a request asks. */
export interface Question {
  /** All of it, path included: equal texts ask the same. */
  readonly marked: MarkedText;
  /** Finds out what it means, and throws where the framework would refuse it. */
  read(): Asked;
}

/** Offers the question of a request: that of a GET at once, that of a POST when its body is there. */
export function offerQuestion(
  request: IncomingMessage,
  form: BodyForm,
  { take, leave }: Taker<Question>,
): void {
  const { method, url = "" } = request;
  if (method === "POST") {
    offerBody(request, { take: (body) => take(toBodyQuestion(url, body, form)), leave });
  } else if (!take(toQueryQuestion(url))) leave();
}

function toQueryQuestion(url: string): Question {
  return { marked: withMark(url), read: () => ({ sent: parseQueryContext(url) }) };
}

function toBodyQuestion(path: string, body: string, form: BodyForm): Question {
  return {
    // NOTE: no URL has a line break, so this is not the text of any GET.
    marked: withMark(`${path}\n${body}`),
    read: () => {
      const value: unknown = JSON.parse(body);
      if (!isValid(form.schema, value)) throw new TypeError("The body is not as its schema says");
      return form.read(value);
    },
  };
}
