import type { TSchema } from "typebox";
import { allowsAll, type Grant } from "../access/grant.ts";
import { parseQueryContext } from "../context/sent-context.ts";
import { ENABLE_ALL_HINT, type HttpError, notAllowed, notEnabled } from "../http/errors.ts";
import type { FlagRequestBody, RouteOptions } from "./protocol.ts";
import type { Selection } from "../response/evaluate-flags.ts";
import type { Call } from "../routing/call.ts";
import { FOR_CLIENTS, type Route } from "../routing/route.ts";
import { ContextQuery, errorResponses, type ErrorStatus, NotModified } from "./schemas.ts";

interface FlagRoutesOptions extends Pick<
  RouteOptions,
  "allow" | "protocol" | "respond" | "config"
> {
  readonly body: FlagRequestBody;
  readonly responseSchema: TSchema;
  readonly tag: string;
}

export function flagRoutes(options: FlagRoutesOptions): readonly Route[] {
  const { enableAllEndpoint } = options.config;
  return [
    ...selectionRoutes(options, {
      path: "",
      subject: "the flags that are on",
      alternative: ", or the named ones",
      errors: [400, 401, 503],
      select: () => ({}),
    }),
    ...selectionRoutes(options, {
      path: "/all",
      subject: "all flags, on and off",
      alternative: ", or the named ones",
      errors: [400, 401, 501, 503],
      select: () => ({ all: true }),
      check: (grant) => checkAll(grant, enableAllEndpoint),
    }),
  ];
}

function checkAll(grant: Grant, isEnabled: boolean): HttpError | undefined {
  if (allowsAll(grant, isEnabled)) return undefined;
  return isEnabled
    ? notAllowed("list flags that are off", "allFlags")
    : notEnabled("This endpoint", ENABLE_ALL_HINT);
}

interface SelectionRoutes extends Pick<Route, "path" | "params" | "check"> {
  readonly subject: string;
  readonly alternative?: string;
  readonly errors: readonly ErrorStatus[];
  readonly select: (call: Call) => Selection;
}

export function selectionRoutes(
  { allow, body, protocol, respond, responseSchema, tag }: FlagRoutesOptions,
  { subject, alternative = "", errors, select, ...route }: SelectionRoutes,
): readonly Route[] {
  const shared = {
    ...route,
    tags: [tag],
    security: [{ clientKey: [] }],
    audience: FOR_CLIENTS,
    authenticate: allow("client"),
  };
  const responses = { 200: responseSchema, 304: NotModified };
  return [
    {
      ...shared,
      method: "GET",
      summary: `Evaluates ${subject}, for a context in the query`,
      query: ContextQuery,
      responses: { ...responses, ...errorResponses(...errors) },
      handle: (call) =>
        respond(call, () => ({
          sent: parseQueryContext(call.request.url ?? "", protocol.definition),
          selection: select(call),
        })),
    },
    {
      ...shared,
      method: "POST",
      summary: `Evaluates ${subject}${alternative}, for a context in the body`,
      body,
      responses: { ...responses, ...errorResponses(...errors, 413, 415) },
      handle: (call) =>
        respond(call, () => {
          const { sent, toggles } = body.read(call.parse(body.schema));
          return { sent, selection: { ...select(call), toggles } };
        }),
    },
  ];
}
