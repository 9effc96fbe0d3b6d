import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagEnvironment, Strategy } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { toDraft } from "../strategies/strategy-draft.ts";
import { strategyPath } from "../strategies/use-save-strategy.ts";

/** Changes of the strategies of a flag in an environment. Each of them can be undone. */
export function useStrategyChanges(flag: Flag, environment: FlagEnvironment) {
  const client = useQueryClient();
  const { project, name } = flag;
  const invalidates = [["flag", project, name], ["flags", project], ["segments"]];
  const addressIn = (target: string) => ({ project, flag: name, environment: target });
  const one = ({ id }: Strategy, target = environment.name): string =>
    strategyPath(addressIn(target), id);
  const add = (target: string, body: Partial<Strategy>): Promise<Strategy> =>
    request<Strategy>(strategyPath(addressIn(target)), { method: "POST", body });
  const setDisabled = (strategy: Strategy, disabled: boolean): Promise<unknown> =>
    request(one(strategy), {
      method: "PATCH",
      body: [{ op: "replace", path: "/disabled", value: disabled }],
    });
  /** Whether the service turns the flag off without a strategy: it does so if no other one is enabled. */
  const isTurnedOffWithout = ({ id, disabled }: Strategy): boolean =>
    environment.enabled &&
    !disabled &&
    environment.strategies.every((other) => other.disabled || other.id === id);
  const turnOn = (): Promise<void> =>
    request(adminPath`/projects/${project}/features/${name}/environments/${environment.name}/on`, {
      method: "POST",
    });
  const order = async (ids: readonly string[]): Promise<void> => {
    client.setQueryData<Flag>(queries.flag(project, name).queryKey, (shown) =>
      shown === undefined ? undefined : withOrder(shown, environment.name, ids),
    );
    await request(`${strategyPath(addressIn(environment.name))}/set-sort-order`, {
      method: "POST",
      body: ids.map((id, sortOrder) => ({ id, sortOrder })),
    });
  };

  const disabling = useChange<Strategy>({
    run: (strategy) => setDisabled(strategy, !strategy.disabled),
    invalidates,
    success: ({ disabled }) => `${disabled ? "Enabled" : "Disabled"} the strategy`,
    undo: async (strategy) => {
      await setDisabled(strategy, strategy.disabled);
      if (isTurnedOffWithout(strategy)) await turnOn();
    },
  });
  const deletion = useChange<Strategy>({
    run: (strategy) => request(one(strategy), { method: "DELETE" }),
    invalidates,
    success: () => `Deleted the strategy from ${environment.name}`,
    undo: async (strategy) => {
      const { sortOrder } = strategy;
      await add(environment.name, { ...toDraft(strategy), sortOrder });
      if (isTurnedOffWithout(strategy)) await turnOn();
    },
  });
  const copying = useChange<Copy, Strategy>({
    run: ({ strategy, target }) => add(target, toDraft(strategy)),
    invalidates,
    success: ({ target }) =>
      target === environment.name ? "Duplicated the strategy" : `Copied the strategy to ${target}`,
    undo: ({ target }, copy) => request(one(copy, target), { method: "DELETE" }),
  });
  const ordering = useChange<readonly string[]>({ run: order, invalidates });
  return { disabling, deletion, copying, ordering };
}

interface Copy {
  readonly strategy: Strategy;
  /** The environment that gets the copy. */
  readonly target: string;
}

function withOrder(flag: Flag, environment: string, ids: readonly string[]): Flag {
  return {
    ...flag,
    environments: flag.environments.map((entry) =>
      entry.name === environment
        ? {
            ...entry,
            strategies: entry.strategies.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)),
          }
        : entry,
    ),
  };
}
