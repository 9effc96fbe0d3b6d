import { type Grant, UPSTREAM_KEYS_NAME } from "./grant.ts";

/** The names in metrics of the keys in settings, which have no names of their own. */
const STATIC_NAMES = {
  client: "FLAGS_PROXY_CLIENT_KEYS",
  server: "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS",
};

type NamedGrant = Pick<Grant, "kind" | "rules">;

export class KeyUses {
  #counts = new Map<string, number>();

  count(grant: NamedGrant): void {
    const name = nameOf(grant);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Forgets keys that no longer exist, and starts to count new ones at 0.
   *
   * @param hasUpstreamKeys whether there can also be keys that the upstream verifies
   */
  follow(grants: readonly NamedGrant[], hasUpstreamKeys: boolean): void {
    const names = grants.map(nameOf);
    if (hasUpstreamKeys) names.push(UPSTREAM_KEYS_NAME);
    this.#counts = new Map(names.map((name) => [name, this.#counts.get(name) ?? 0]));
  }

  entries(): Iterable<readonly [name: string, count: number]> {
    return this.#counts;
  }
}

function nameOf({ kind, rules }: NamedGrant): string {
  return rules?.name ?? STATIC_NAMES[kind];
}
