import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import { KeyRing } from "./key-ring.ts";

/** The ring of all configured keys. Today they all lead to one source. */
export function createKeyRing(
  { clientKeys, serverTokens }: Pick<ProxyConfig, "clientKeys" | "serverTokens">,
  source: FlagSource,
): KeyRing {
  return new KeyRing([
    ...clientKeys.map((key) => ({ key, kind: "client" as const, source })),
    ...serverTokens.map((key) => ({ key, kind: "server" as const, source })),
  ]);
}
