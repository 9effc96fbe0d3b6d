import { useQuery } from "@tanstack/react-query";
import { EllipsisVertical, GripVertical, Pencil, TrendingUp } from "lucide-react";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { GridList, GridListItem } from "react-aria-components/GridList";
import { useDragAndDrop } from "react-aria-components/useDragAndDrop";
import { rolloutPlansQuery } from "../api/rollout-plan-queries.ts";
import type { Flag, FlagEnvironment, RolloutPlan, Segment, Strategy } from "../api/types.ts";
import { ConstraintList } from "../constraints/constraint-summary.tsx";
import { PlanCard, PlanDialog } from "../rollout-plans/plan-card.tsx";
import {
  describeBeginnings,
  describeStrategy,
  type Names,
} from "../strategies/describe-strategy.ts";
import { EditStrategyDialog } from "../strategies/strategy-dialogs.tsx";
import { findIneffective } from "../strategies/find-ineffective.ts";
import { RuleNote } from "../strategies/rule-note.tsx";
import { describeStrategyType, ROLLOUT } from "../strategies/strategy-labels.ts";
import { StrategyWarnings } from "../strategies/strategy-warnings.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { VariantBar } from "../variants/variant-bar.tsx";
import { moveEntries } from "./move-entries.ts";
import { useStrategyChanges } from "./use-strategy-changes.ts";

/** What the sentences about strategies refer to, with all that is known about segments. */
export interface KnownNames extends Names {
  readonly segments: readonly Segment[];
}

interface StrategyListProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly names: KnownNames;
  readonly canEdit: boolean;
}

/** The strategies of a flag in an environment, in the order in which they are evaluated. */
export function StrategyList({ flag, environment, names, canEdit }: StrategyListProps) {
  const { strategies } = environment;
  const changes = useStrategyChanges(flag, environment);
  const [edited, setEdited] = useState<string>();
  const [planned, setPlanned] = useState<string>();
  const { data: plans = [] } = useQuery({
    ...rolloutPlansQuery(flag.project, flag.name),
    enabled: strategies.some(({ name }) => name === ROLLOUT),
  });
  const planOf = (id: string) => plans.find(({ strategyId }) => strategyId === id);
  const plannedStrategy = strategies.find(({ id }) => id === planned);
  const ids = strategies.map(({ id }) => id);
  const beginnings = describeBeginnings(environment);
  const notes = findIneffective(strategies, names.segments, Date.now());
  const isSortable = canEdit && strategies.length > 1;
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !isSortable,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === "on") return;
      const moved = new Set([...keys].map(String));
      changes.ordering.mutate(
        moveEntries(ids, moved, { entry: String(target.key), position: target.dropPosition }),
      );
    },
  });
  const move = (from: number, to: number): void => {
    const id = ids[from];
    if (id !== undefined) changes.ordering.mutate(ids.toSpliced(from, 1).toSpliced(to, 0, id));
  };
  const actions = (strategy: Strategy, index: number): readonly MenuEntry[] => [
    { label: "Move up", run: () => move(index, index - 1), isDisabled: index === 0 },
    {
      label: "Move down",
      run: () => move(index, index + 1),
      isDisabled: index === strategies.length - 1,
    },
    ...(strategy.name === ROLLOUT && planOf(strategy.id) === undefined
      ? [{ label: "Roll out in steps…", run: () => setPlanned(strategy.id) }]
      : []),
    {
      label: strategy.disabled ? "Enable" : "Disable",
      run: () => changes.disabling.mutate(strategy),
    },
    {
      label: "Duplicate",
      run: () => changes.copying.mutate({ strategy, target: environment.name }),
    },
    ...flag.environments
      .filter(({ name }) => name !== environment.name)
      .map(({ name }) => ({
        label: `Copy to ${name}`,
        run: () => changes.copying.mutate({ strategy, target: name }),
      })),
    { label: "Delete", run: () => changes.deletion.mutate(strategy), isDangerous: true },
  ];
  return (
    <>
      <GridList
        // NOTE: a list cannot become sortable later. With one strategy it is sortable too, although its handle is
        // hidden, so that the focus stays where it is when a strategy is added or deleted.
        key={String(canEdit)}
        aria-label={`Strategies in ${environment.name}`}
        className="strategy-list"
        selectionMode="none"
        keyboardNavigationBehavior="tab"
        items={strategies.map((strategy, index) => ({ ...strategy, index }))}
        dependencies={[names, environment, canEdit, plans]}
        {...(canEdit && { dragAndDropHooks })}
      >
        {({ index, ...strategy }) => (
          <GridListItem
            id={strategy.id}
            textValue={nameOf(strategy, names)}
            className={strategy.disabled ? "strategy strategy-disabled" : "strategy"}
          >
            {canEdit ? (
              <AriaButton slot="drag" className="strategy-handle">
                <GripVertical aria-hidden />
              </AriaButton>
            ) : null}
            <StrategySummary
              strategy={strategy}
              names={names}
              beginning={beginnings[index] ?? "For"}
              note={notes[index]}
            />
            {canEdit ? (
              <div className="strategy-actions">
                <IconButton
                  label={`Edit ${nameOf(strategy, names)}`}
                  onPress={() => setEdited(strategy.id)}
                >
                  <Pencil aria-hidden />
                </IconButton>
                <Menu entries={actions(strategy, index)}>
                  <IconButton label={`More actions for ${nameOf(strategy, names)}`}>
                    <EllipsisVertical aria-hidden />
                  </IconButton>
                </Menu>
              </div>
            ) : null}
            <Rollout
              flag={flag}
              environment={environment}
              strategy={strategy}
              plan={planOf(strategy.id)}
              canEdit={canEdit}
              onPlan={() => setPlanned(strategy.id)}
            />
          </GridListItem>
        )}
      </GridList>
      {edited === undefined ? null : (
        <EditStrategyDialog
          project={flag.project}
          flag={flag.name}
          environment={environment.name}
          id={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {plannedStrategy === undefined ? null : (
        <PlanDialog
          address={{ project: flag.project, flag: flag.name, environment: environment.name }}
          strategy={plannedStrategy}
          plan={undefined}
          onClose={() => setPlanned(undefined)}
        />
      )}
    </>
  );
}

interface RolloutProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly strategy: Strategy;
  readonly plan: RolloutPlan | undefined;
  readonly canEdit: boolean;
  readonly onPlan: () => void;
}

/** The rollout plan of a strategy, or a button that makes one where not everyone is reached yet. */
function Rollout({ plan, onPlan, ...props }: RolloutProps) {
  const { strategy, canEdit } = props;
  if (plan !== undefined) return <PlanCard plan={plan} {...props} />;
  const isPartial = strategy.name === ROLLOUT && Number(strategy.parameters["rollout"]) < 100;
  if (!canEdit || !isPartial || strategy.disabled) return null;
  return (
    <div className="strategy-rollout">
      <Button size="small" variant="quiet" onPress={onPlan}>
        <TrendingUp aria-hidden /> Roll out in steps
      </Button>
    </div>
  );
}

function nameOf({ title, name }: Strategy, { types }: Names): string {
  return title === null || title === "" ? describeStrategyType(name, types).name : title;
}

interface StrategySummaryProps {
  readonly strategy: Strategy;
  readonly names: Names;
  /** What the sentence begins with. */
  readonly beginning: string;
  /** Why it changes nothing; undefined if it may change something. */
  readonly note: string | undefined;
}

/** What a strategy does, in a sentence that lists its constraints below. */
function StrategySummary({ strategy, names, beginning, note }: StrategySummaryProps) {
  const { title, constraints, variants } = strategy;
  const audience = describeStrategy({ ...strategy, constraints: [], variants: [] }, names);
  return (
    <div className="strategy-summary">
      <div className="strategy-heading">
        {title === null || title === "" ? null : <span className="strategy-title">{title}</span>}
        <span className="strategy-sentence">
          {beginning} <strong>{audience}</strong>
          {constraints.length === 0 ? null : " where"}
        </span>
      </div>
      {constraints.length === 0 ? null : <ConstraintList constraints={constraints} />}
      {variants.length === 0 ? null : <VariantBar variants={variants} />}
      <StrategyWarnings strategy={strategy} />
      {note === undefined ? null : <RuleNote>{note}</RuleNote>}
    </div>
  );
}
