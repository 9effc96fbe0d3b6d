import { createIdentity } from "../identity.ts";
import type { Identity } from "../identity.ts";
import type { Settings } from "../options/resolve-options.ts";
import { TimeSlicer } from "../scheduling/time-slicer.ts";
import type { HttpClient } from "../transport/http-client.ts";
import { UpstreamApi } from "../transport/upstream-api.ts";

export interface UpstreamConnection {
  readonly identity: Identity;
  /** Must be closed. */
  readonly http: HttpClient;
  readonly slicer: TimeSlicer;
  readonly api: UpstreamApi;
}

export function connectUpstream(settings: Settings, http: HttpClient): UpstreamConnection {
  const identity = createIdentity(settings);
  const slicer = new TimeSlicer();
  const api = new UpstreamApi({ ...settings, http, slicer, identity });
  return { identity, http, slicer, api };
}
