import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Columns2, Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Flag, FlagEnvironment } from "../api/types.ts";
import { RequestedSwitch, useRequestedSwitches } from "../change-requests/requested-switch.tsx";
import { describeEnvironmentType } from "../environments/environment-types.ts";
import { ProductionMark } from "../environments/production-mark.tsx";
import { sortByType } from "../environments/sort-by-type.ts";
import { describeTurnedOn } from "../flags/consequence.ts";
import { useDefaultReach } from "../flags/use-default-reach.ts";
import { useSwitchFlag } from "../flags/use-switch-flag.ts";
import { RuleNote } from "../strategies/rule-note.tsx";
import { AddStrategyDialog } from "../strategies/strategy-dialogs.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loaded.tsx";
import { Switch } from "../ui/switch.tsx";
import { Time } from "../ui/time.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { Dependencies } from "./dependencies.tsx";
import { describeBlocked } from "./describe-blocked.ts";
import { EnvironmentVariants } from "./environment-variants.tsx";
import { type KnownNames, StrategyList } from "./strategy-list.tsx";
import { useCanEdit } from "./use-can-edit.ts";

/** What a flag does in each environment, and the flags that it depends on. */
export function EnvironmentsTab({ flag }: { readonly flag: Flag }) {
  const { environments, project } = flag;
  const types = useQuery(queries.strategyTypes());
  const segments = useQuery(queries.segments());
  const [dependency] = flag.dependencies;
  const parent = useQuery({
    ...queries.flag(project, dependency?.feature ?? ""),
    enabled: dependency !== undefined && !flag.archived,
  });
  if (types.isPending || segments.isPending) return <Loading />;
  const names = { types: types.data ?? [], segments: segments.data ?? [] };
  return (
    <div className="stack">
      <div className="flag-overview">
        <Dependencies flag={flag} />
        {environments.length < 2 ? null : <CompareButton flag={flag} />}
      </div>
      {environments.length === 0 ? (
        <Empty title="This project has no environments">
          <p>
            A flag is turned on or off in each environment of its project.{" "}
            <Link to="/projects/$project/settings" params={{ project }}>
              Add environments in the project settings
            </Link>
            .
          </p>
        </Empty>
      ) : (
        <div className="card">
          {sortByType(environments).map((environment) => (
            <EnvironmentRow
              key={environment.name}
              flag={flag}
              // Where an archived flag was on does not matter: nobody gets it, and reviving turns it off.
              environment={flag.archived ? { ...environment, enabled: false } : environment}
              names={names}
              blocked={
                dependency === undefined || parent.data === undefined
                  ? undefined
                  : describeBlocked(dependency, parent.data, environment.name)
              }
            />
          ))}
        </div>
      )}
    </div>
  );
}

function CompareButton({ flag }: { readonly flag: Flag }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        <Columns2 aria-hidden /> Compare and copy
      </Button>
      {isOpen ? <CompareDialog flag={flag} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface EnvironmentRowProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly names: KnownNames;
  /** Why the flag is off here even if it is turned on; undefined if it may be on. */
  readonly blocked: string | undefined;
}

/** A flag in one environment: what happens to whom. */
function EnvironmentRow({ flag, environment, names, blocked }: EnvironmentRowProps) {
  const canEdit = useCanEdit(flag);
  const switching = useSwitchFlag(flag.project);
  const [isAdding, setAdding] = useState(false);
  const { name, enabled, strategies } = environment;
  const whenNone = useDefaultReach(flag.project)(name);
  const turnedOn =
    strategies.length === 0 && hasActiveStrategy(flag) && switching.asksForWhom(environment)
      ? "Turning it on asks for whom"
      : `Turning it on adds a strategy ${whenNone}`;
  const requested = useRequestedSwitches(flag.project)(flag.name, name);
  return (
    <section className="flag-place" aria-label={name}>
      <EnvironmentName environment={environment} />
      <Switch
        label={enabled ? "On" : "Off"}
        isSelected={enabled}
        isDisabled={!canEdit}
        onChange={(isSelected) =>
          switching.mutate({
            flag: flag.name,
            environment,
            enabled: isSelected,
            reached: describeTurnedOn(strategies, names, whenNone),
            hasStrategy: strategies.some(({ disabled }) => !disabled),
          })
        }
      />
      <div className="flag-place-rules">
        {requested === undefined ? null : (
          <RuleNote>
            <RequestedSwitch request={requested} />
          </RuleNote>
        )}
        {enabled && strategies.length > 0 ? null : (
          <p className="flag-sentence">
            {describeWithoutStrategies(environment, canEdit, turnedOn)}
          </p>
        )}
        {enabled && blocked !== undefined ? <RuleNote>{blocked}</RuleNote> : null}
        {strategies.length === 0 ? null : (
          <StrategyList flag={flag} environment={environment} names={names} canEdit={canEdit} />
        )}
        {canEdit ? (
          <div>
            <Button size="small" variant="quiet" onPress={() => setAdding(true)}>
              <Plus aria-hidden /> Add strategy
            </Button>
          </div>
        ) : null}
        <EnvironmentVariants flag={flag} environment={environment} canEdit={canEdit} />
      </div>
      {isAdding ? (
        <AddStrategyDialog
          project={flag.project}
          flag={flag.name}
          environment={name}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </section>
  );
}

function EnvironmentName({ environment }: Pick<EnvironmentRowProps, "environment">) {
  const { name, type, lastSeenAt } = environment;
  return (
    <div className="flag-place-name">
      <div className="row">
        <h2>{name}</h2>
        {type === "production" ? <ProductionMark /> : null}
      </div>
      <p className="muted flag-note">
        {name === type ? null : <>{describeEnvironmentType(type)}. </>}
        {lastSeenAt === null ? (
          "Not evaluated yet"
        ) : (
          <>
            Last evaluated <Time value={lastSeenAt} />
          </>
        )}
      </p>
    </div>
  );
}

/** What strategies do not say: that the flag is off, or on without any. */
function describeWithoutStrategies(
  { enabled, strategies }: FlagEnvironment,
  canEdit: boolean,
  turnedOn: string,
): string {
  if (enabled) return "On for everyone.";
  if (strategies.some(({ disabled }) => !disabled)) {
    return "Off for everyone: the strategies have no effect until it is turned on.";
  }
  if (!canEdit) return "Off for everyone.";
  const added = `Off for everyone. ${turnedOn}`;
  return strategies.length === 0 ? `${added}.` : `${added}, because all strategies are disabled.`;
}

/** Whether the flag has an active strategy in any environment. */
function hasActiveStrategy({ environments }: Flag): boolean {
  return environments.some(({ strategies }) => strategies.some(({ disabled }) => !disabled));
}
