import { nameSetting, type Resolution } from "flags-server-kit";
import { canShareFlags } from "../store/open-store.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** Finds settings of the store that contradict each other. */
export function findStoreProblems({ values, origins }: Resolution<Settings>): readonly string[] {
  const password = origins.get("storePassword");
  const { store } = values;
  const hasPassword = store?.kind === "redis" && store.password !== undefined;
  if (password === undefined || !hasPassword) return [];
  return [`${password} and ${origins.get("store")} both contain a password: remove one of them`];
}

/** Finds settings of the store that have no effect. */
export function findUselessStoreSettings({
  values: { store, sharedPolling },
  origins,
}: Resolution<Settings>): readonly string[] {
  const hints: string[] = [];
  const requires = (origin: string | undefined, isUseful: boolean, address: string): void => {
    if (origin === undefined || isUseful) return;
    hints.push(`${origin} has no effect: ${nameSetting(SETTINGS.store)} is not ${address}`);
  };
  const isRedis = store?.kind === "redis";
  requires(origins.get("storePassword"), isRedis, "an address of Redis");
  requires(origins.get("storeCaFile"), isRedis && store.isTls, "an address with rediss");
  const canShare = store !== undefined && canShareFlags({ address: store });
  if (sharedPolling) requires(origins.get("sharedPolling"), canShare, "an address of Redis");
  return hints;
}
