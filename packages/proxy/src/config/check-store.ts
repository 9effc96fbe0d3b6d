import { nameSetting, type Resolution } from "flags-server-kit";
import { canShareFlags } from "../store/open-store.ts";
import type { StoreAddress } from "../store/store-address.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** Finds settings of the store that contradict each other. */
export function findStoreProblems(resolution: Resolution<Settings>): readonly string[] {
  return [
    ...findAmbiguousStorage(resolution),
    ...findIncompleteBucket(resolution),
    ...findSecondPassword(resolution),
  ];
}

function findAmbiguousStorage({ origins }: Resolution<Settings>): readonly string[] {
  const [store, provider] = [origins.get("store"), origins.get("storageProvider")];
  if (store === undefined || provider === undefined) return [];
  return [`${store} and ${provider} are both set, and both keep the flags: remove one of them`];
}

function findIncompleteBucket({ values, origins }: Resolution<Settings>): readonly string[] {
  const { store } = values;
  if (store?.kind !== "s3") return [];
  const problems: string[] = [];
  if (
    store.endpoint === undefined &&
    store.region === undefined &&
    values.storeRegion === undefined
  ) {
    problems.push(
      `${origins.get("store")} needs the region of the bucket: set ${nameSetting(SETTINGS.storeRegion)}, or append ?region= to the address`,
    );
  }
  const { storeAccessKeyId: id, storeSecretAccessKey: key } = SETTINGS;
  const hasId = values.storeAccessKeyId !== undefined;
  if (hasId !== (values.storeSecretAccessKey !== undefined)) {
    problems.push(
      `${nameSetting(hasId ? id : key)} is set without ${nameSetting(hasId ? key : id)}: set both or neither`,
    );
  }
  return problems;
}

function findSecondPassword({ values, origins }: Resolution<Settings>): readonly string[] {
  const password = origins.get("storePassword");
  const { store } = values;
  const hasPassword = store?.kind === "redis" && store.password !== undefined;
  if (password === undefined || !hasPassword) return [];
  return [`${password} and ${origins.get("store")} both contain a password: remove one of them`];
}

/** Finds settings of the store that have no effect. */
export function findIneffectiveStoreSettings({
  values: { store, sharesFlags },
  origins,
}: Resolution<Settings>): readonly string[] {
  // NOTE: an invalid address has no value.
  if (store === undefined && origins.has("store")) return [];
  const hints: string[] = [];
  const requires = (origin: string | undefined, isUseful: boolean, address: string): void => {
    if (origin === undefined || isUseful) return;
    hints.push(`${origin} has no effect: ${nameSetting(SETTINGS.store)} is not ${address}`);
  };
  const isRedis = store?.kind === "redis";
  requires(origins.get("storePassword"), isRedis, "a Redis address");
  requires(
    origins.get("storeCaFile"),
    store !== undefined && usesTls(store),
    "a rediss address, or an S3 address with https",
  );
  const canShare = store !== undefined && canShareFlags(store);
  if (sharesFlags) requires(origins.get("sharesFlags"), canShare, "a Redis address");
  return hints;
}

function usesTls(store: StoreAddress): boolean {
  switch (store.kind) {
    case "file":
      return false;
    case "s3":
      // Without an endpoint, the store is AWS, which uses TLS.
      return store.endpoint?.startsWith("http:") !== true;
    case "redis":
      return store.isTls;
    default:
      return store satisfies never;
  }
}
