import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, FlagEnvironment, Strategy } from "../api/types.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import type { Question } from "../changes/confirmations.tsx";
import { placesIn, type Proposal, type ProposedChange } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { describeConsequence, type FlagChange } from "../flags/consequence.ts";
import { toDraft } from "../strategies/strategy-draft.ts";
import { useNames } from "../strategies/use-names.ts";
import { strategyPath } from "../strategies/use-save-strategy.ts";

/** Changes of the strategies of a flag in an environment. Each of them can be undone. */
export function useStrategyChanges(flag: Flag, environment: FlagEnvironment) {
  const client = useQueryClient();
  const names = useNames();
  const asksBeforeChange = useAsksBeforeChange();
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
      body: toSortOrder(ids),
    });
  };

  /** Asks before changes where people have to confirm them, and before every deletion. */
  const ask = (
    change: FlagChange,
    question: Pick<Question, "submit" | "title">,
    target = environment.name,
  ): Question | undefined => {
    const before = flag.environments.find((one) => one.name === target) ?? environment;
    const isDangerous = change.kind === "delete";
    if (!isDangerous && !asksBeforeChange(before)) return undefined;
    return { ...question, consequence: describeConsequence(change, before, names), isDangerous };
  };

  const propose = (
    change: Omit<ProposedChange, "feature">,
    target = environment.name,
  ): Proposal => ({
    places: placesIn(project, [target]),
    changes: [{ ...change, feature: name }],
  });

  const disabling = useChange<Strategy>({
    run: (strategy) => setDisabled(strategy, !strategy.disabled),
    proposes: (strategy) =>
      propose({
        action: "updateStrategy",
        payload: { ...toDraft(strategy), disabled: !strategy.disabled, id: strategy.id },
      }),
    asks: (strategy) => {
      const submit = strategy.disabled ? "Enable" : "Disable";
      const changed = { ...strategy, disabled: !strategy.disabled };
      return ask(
        { kind: "replace", id: strategy.id, strategy: changed },
        { title: `${submit} the strategy in ${environment.name}?`, submit },
      );
    },
    invalidates,
    success: ({ disabled }) => `${disabled ? "Enabled" : "Disabled"} the strategy`,
    undo: async (strategy) => {
      await setDisabled(strategy, strategy.disabled);
      if (isTurnedOffWithout(strategy)) await turnOn();
    },
  });
  const deletion = useChange<Strategy>({
    run: (strategy) => request(one(strategy), { method: "DELETE" }),
    proposes: ({ id }) => propose({ action: "deleteStrategy", payload: { id } }),
    asks: ({ id }) =>
      ask(
        { kind: "delete", id },
        { title: `Delete the strategy from ${environment.name}?`, submit: "Delete" },
      ),
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
    proposes: ({ strategy, target }) =>
      propose({ action: "addStrategy", payload: toDraft(strategy) }, target),
    asks: ({ strategy, target }) =>
      ask(
        { kind: "add", strategy },
        { title: `Copy the strategy to ${target}?`, submit: "Copy" },
        target,
      ),
    invalidates,
    success: ({ target }) =>
      target === environment.name ? "Duplicated the strategy" : `Copied the strategy to ${target}`,
    undo: ({ target }, copy) => request(one(copy, target), { method: "DELETE" }),
  });
  const ordering = useChange<readonly string[]>({
    run: order,
    proposes: (ids) => propose({ action: "reorderStrategy", payload: toSortOrder(ids) }),
    asks: () =>
      ask(
        { kind: "order" },
        { title: `Change the order of the strategies in ${environment.name}?`, submit: "Change" },
      ),
    invalidates,
  });
  return { disabling, deletion, copying, ordering };
}

function toSortOrder(ids: readonly string[]) {
  return ids.map((id, sortOrder) => ({ id, sortOrder }));
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
