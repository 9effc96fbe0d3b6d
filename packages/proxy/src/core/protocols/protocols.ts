import { FRONTEND } from "./frontend.ts";
import { OFREP } from "./ofrep/protocol.ts";
import type { ProtocolDefinition } from "../routes/protocol.ts";
import { PROXY } from "./proxy.ts";

/**
 * The client protocols. To add one:
 *
 * 1. Create a file or folder next to these with its `ProtocolDefinition`, and add it to this list. `../protocol.ts`
 *    describes what a protocol can define. If its errors have codes, add them to `ErrorCode` in `src/errors.ts`.
 * 2. If its paths are not below those that are published already, add them to `ingress.yaml` and `httproute.yaml` in
 *    `deploy/helm/flags-proxy/templates`, to `CLIENT_PATH` in `src/cli/proxy-address.ts`, and to `PROXY_PATH` in
 *    `packages/admin/src/http/console-routes.ts`. If its responses list toggles, also add them to `PATHS` in
 *    `src/cli/compare/compared-proxy.ts`.
 * 3. Test it in a file of its own in `test`, and add its paths and the titles of its schemas to
 *    `test/openapi.test.ts`. With `fastPath`, also test it in `test/fast-path.test.ts` and
 *    `test/fast-path-post.test.ts`; with `streamEvents`, in `test/streams.test.ts`.
 * 4. Describe it in `docs/endpoints.md` and `docs/clients`, and in the glossary of `ARCHITECTURE.md`.
 */
export const PROTOCOLS: readonly ProtocolDefinition[] = [PROXY, FRONTEND, OFREP];
