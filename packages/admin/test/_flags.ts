import type { Service } from "./_service.ts";

/** Properties of a strategy that a test sets; the others have defaults. */
interface StrategyInput {
  readonly name?: string;
  readonly constraints?: readonly unknown[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly variants?: readonly unknown[];
  readonly segments?: readonly number[];
  readonly disabled?: boolean;
}

interface FlagInput {
  readonly project?: string;
  readonly environment?: string;
  readonly enabled?: boolean;
  readonly strategies?: readonly StrategyInput[];
  readonly tags?: readonly { readonly type: string; readonly value: string }[];
}

/** Creates a flag with strategies and enables it, through the admin API. */
export async function createFlag(service: Service, name: string, input: FlagInput = {}) {
  const { project = "default", environment = "development", enabled = true } = input;
  const { strategies = [{ name: "default" }], tags } = input;
  const features = `/projects/${project}/features`;
  await service.admin("POST", features, { name, ...(tags !== undefined && { tags }) });
  for (const strategy of strategies) {
    await service.admin("POST", `${features}/${name}/environments/${environment}/strategies`, {
      name: "default",
      ...strategy,
    });
  }
  if (enabled) await switchFlag(service, name, { project, environment, on: true });
}

interface Switch {
  readonly project?: string;
  readonly environment?: string;
  readonly on: boolean;
}

export async function switchFlag(
  service: Service,
  name: string,
  { project = "default", environment = "development", on }: Switch,
): Promise<void> {
  const path = `/projects/${project}/features/${name}/environments/${environment}`;
  await service.admin("POST", `${path}/${on ? "on" : "off"}`);
}

export async function archiveFlag(service: Service, name: string): Promise<void> {
  await service.admin("POST", "/projects/default/archive", { features: [name] });
}

export async function reviveFlag(service: Service, name: string): Promise<void> {
  await service.admin("POST", "/projects/default/revive", { features: [name] });
}

/** Creates a segment with one constraint, and returns its id. */
export async function createSegment(
  service: Service,
  name: string,
  values: readonly string[],
): Promise<number> {
  const segment = (await service.admin("POST", "/segments", {
    name,
    constraints: [{ contextName: "userId", operator: "IN", values }],
  })) as { id: number };
  return segment.id;
}

export async function updateSegment(
  service: Service,
  { id, name, values }: { id: number; name: string; values: readonly string[] },
): Promise<void> {
  await service.admin("PUT", `/segments/${id}`, {
    name,
    constraints: [{ contextName: "userId", operator: "IN", values }],
  });
}

interface TokenInput {
  readonly tokenName?: string;
  readonly type?: string;
  readonly expiresAt?: Date;
  readonly environment?: string;
  readonly projects?: readonly string[];
}

interface CreatedToken {
  readonly id: string;
  readonly secret: string;
}

export async function createToken(service: Service, input: TokenInput = {}): Promise<CreatedToken> {
  return (await service.admin("POST", "/api-tokens", {
    tokenName: "test",
    type: "client",
    ...input,
  })) as CreatedToken;
}
