import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import { KeyRegistry } from "./key-registry.ts";

/** The ring of all configured keys. Today they all lead to one source. */
export function createKeyRegistry(
  { clientKeys, serverTokens }: Pick<ProxyConfig, "clientKeys" | "serverTokens">,
  source: FlagSource,
): KeyRegistry {
  return new KeyRegistry([
    ...clientKeys.map((key) => ({ key, kind: "client" as const, source })),
    ...serverTokens.map((key) => ({ key, kind: "server" as const, source })),
  ]);
}
