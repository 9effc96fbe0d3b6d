import { FRONTEND } from "./frontend.ts";
import { OFREP } from "./ofrep/protocol.ts";
import type { ProtocolDefinition } from "../routes/protocol.ts";
import { PROXY } from "./proxy.ts";

/**
 * The client protocols. To add one:
 *
 * 1. Create a file or folder next to these with its `ProtocolDefinition`, which `../routes/protocol.ts` describes, and
 *    add it to this list. If its errors have codes, add them to `ErrorCode` in `../http/errors.ts`.
 * 2. Test it in a file of its own in `test`, and add it to `test/flag-requests.test.ts` and
 *    `test/flag-requests-post.test.ts`; with `streamEvents`, to `test/streams.test.ts`. `test/openapi.test.ts` lists paths
 *    and schemas.
 * 3. Describe it in `docs/reference/endpoints.md` and `docs/guides/clients`, and in the glossary of `ARCHITECTURE.md`.
 *
 * If its paths are not below those that are published already, add them to `ingress.yaml` and `httproute.yaml` in
 * `deploy/helm/flags-proxy/templates`, to `CLIENT_PATH` in `src/cli/proxy-address.ts`, and to `PROXY_PATH` in
 * `packages/admin/src/http/console-routes.ts`. If its responses list toggles, also add them to `PATHS` in
 * `src/migrate/compare/fetch-results.ts`.
 */
export const PROTOCOLS: readonly ProtocolDefinition[] = [PROXY, FRONTEND, OFREP];
