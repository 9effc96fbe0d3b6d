import { isLoopbackHost, nameSetting } from "flags-server-kit";
import { type InitToken, parseInitTokens } from "../access/init-tokens.ts";
import type { ApiTokenType } from "../storage/schema/api-tokens.ts";
import { SETTINGS, type Values } from "./settings.ts";

/** Which setting lists the tokens of a type. */
const SETTING_BY_TYPE = {
  admin: SETTINGS.initAdminTokens,
  backend: SETTINGS.initClientTokens,
  frontend: SETTINGS.initFrontendTokens,
} as const satisfies Record<ApiTokenType, unknown>;

/** The tokens to make at the start, and a sentence for everything wrong with them. */
export function readInitTokens(values: Values): {
  readonly tokens: readonly InitToken[];
  readonly problems: readonly string[];
} {
  const { tokens, problems } = parseInitTokens(
    {
      admin: values.initAdminTokens,
      backend: values.initClientTokens,
      frontend: values.initFrontendTokens,
    },
    isLoopbackHost(values.host),
  );
  return {
    tokens,
    problems: problems.map(
      ({ type, position, message }) =>
        `${nameSetting(SETTING_BY_TYPE[type])}: entry ${position} ${message}`,
    ),
  };
}
