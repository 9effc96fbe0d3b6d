import type { CustomStrategy } from "flags-engine";
import type { StorageProvider } from "../storage/storage-provider.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import type { UnleashClient } from "../sync/unleash-client.ts";
import type { ConnectionSettings } from "../transport/connections.ts";
import type { HeaderMap } from "../transport/header-map.ts";
import type { FeatureFilters } from "../transport/upstream-api.ts";
import type { CredentialSettings } from "../transport/wire-headers.ts";

/** Where flags come from before the upstream has answered. */
export type BootstrapSettings =
  | {
      readonly kind: "data";
      readonly features: readonly unknown[];
      readonly segments: readonly unknown[];
    }
  | { readonly kind: "url"; readonly url: URL; readonly headers: HeaderMap }
  | { readonly kind: "file"; readonly path: string };

/** The options of a client, checked and with defaults filled in. */
export interface Settings {
  /** With a trailing slash, so that paths can be resolved against it. */
  readonly url: URL;
  readonly appName: string;
  readonly instanceId: string;
  readonly environment: string;
  readonly synchronization: Synchronization;
  readonly unleash: UnleashClient | undefined;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  readonly metricsJitterMs: number;
  readonly isMetricsEnabled: boolean;
  readonly isRegistrationEnabled: boolean;
  readonly filters: FeatureFilters;
  readonly credentials: CredentialSettings;
  readonly connection: ConnectionSettings;
  readonly bootstrap: BootstrapSettings | undefined;
  readonly bootstrapOverrides: boolean;
  readonly storageProvider: StorageProvider | undefined;
  readonly strategies: readonly CustomStrategy[];
}
