import { checkNesting, runToEnd } from "flags-engine";
import { toErrorMessage } from "flags-server-kit/neutral";
import type { Static, TSchema } from "typebox";
import type { Grant } from "../access/grant.ts";
import type { AllowedOrigin } from "./cors.ts";
import { CLOSING, HttpError } from "../http/errors.ts";
import type { ProxyRequest } from "../http/request.ts";
import { checkBody } from "../http/validation.ts";

/** Lists and objects in a body. A usage report of the maximum size has fewer than half of this. */
const MAX_PARTS = 50_000;

export interface RouteBody {
  readonly schema: TSchema;
  readonly isOptional?: boolean;
  /** @default `BODY_LIMIT_BYTES` */
  readonly limitBytes?: number;
}

export class Call {
  readonly request: ProxyRequest;
  readonly params: Readonly<Record<string, string>>;
  readonly #rule: RouteBody | undefined;
  allowedOrigin: AllowedOrigin = false;
  /** Whether the key can be used only from certain origins, and this is one of them. */
  isOriginRestricted = false;
  text: string | undefined;
  #grant: Grant | undefined;

  /** @param rule undefined: the route reads no body */
  constructor(request: ProxyRequest, params: Call["params"], rule: RouteBody | undefined) {
    this.request = request;
    this.params = params;
    this.#rule = rule;
  }

  get grant(): Grant {
    if (this.#grant === undefined) {
      throw new TypeError("The route has no grant: it does not authenticate");
    }
    return this.#grant;
  }

  set grant(grant: Grant) {
    this.#grant = grant;
  }

  get key(): string | undefined {
    return this.#grant?.key;
  }

  param(name: string): string {
    return this.params[name] ?? "";
  }

  /** Parses the body and checks it against the schema of the route. @throws {HttpError} a 400 that names the problem */
  parse<Schema extends TSchema>(schema: Schema): Static<Schema> {
    const value = this.parseUnchecked();
    checkBody(schema, value);
    return value as Static<Schema>;
  }

  /** Like `parse()`, for a body that the caller checks. */
  parseUnchecked(): unknown {
    const rule = this.#rule;
    if (rule === undefined) throw new TypeError("The route reads no body");
    const { text = "" } = this;
    const sent = text === "" ? undefined : parseJson(text);
    const value: unknown = rule.isOptional === true ? (sent ?? {}) : sent;
    if (value === undefined || value === null) {
      throw new HttpError(400, "The body is missing: send a JSON object");
    }
    return value;
  }
}

function parseJson(text: string): unknown {
  checkCost(text);
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (cause) {
    throw new HttpError(400, "The body is not valid JSON: check quotes, commas and brackets", {
      cause,
      headers: CLOSING,
    });
  }
}

/** Rejects a body of many lists or objects, which take up to 60 times the memory of their text. */
function checkCost(text: string): void {
  try {
    runToEnd(checkNesting(text, MAX_PARTS));
  } catch (cause) {
    throw new HttpError(400, toErrorMessage(cause), { cause });
  }
}
