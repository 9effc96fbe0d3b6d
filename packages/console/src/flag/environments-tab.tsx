import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Flag, FlagEnvironment } from "../api/types.ts";
import { useSwitchFlag } from "../flags/use-switch-flag.ts";
import { describeEnvironment, type Names } from "../strategies/describe-strategy.ts";
import { AddStrategyDialog } from "../strategies/strategy-dialogs.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loaded.tsx";
import { Switch } from "../ui/switch.tsx";
import { Time } from "../ui/time.tsx";
import { Dependencies } from "./dependencies.tsx";
import { EnvironmentVariants } from "./environment-variants.tsx";
import { StrategyList } from "./strategy-list.tsx";
import { useCanEdit } from "./use-can-edit.ts";

/** The state and the strategies of a flag in each environment, and the flags that it depends on. */
export function EnvironmentsTab({ flag }: { readonly flag: Flag }) {
  const { environments, project } = flag;
  const types = useQuery(queries.strategyTypes());
  const segments = useQuery(queries.segments());
  if (types.isPending || segments.isPending) return <Loading />;
  const names = { types: types.data ?? [], segments: segments.data ?? [] };
  return (
    <div className="stack">
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
        <div className="flag-environments">
          {environments.map((environment) => (
            <EnvironmentCard
              key={environment.name}
              flag={flag}
              // Where an archived flag was on does not matter: nobody gets it, and reviving turns it off.
              environment={flag.archived ? { ...environment, enabled: false } : environment}
              names={names}
            />
          ))}
        </div>
      )}
      <Dependencies flag={flag} />
    </div>
  );
}

interface EnvironmentCardProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly names: Names;
}

/** A flag in one environment. */
function EnvironmentCard({ flag, environment, names }: EnvironmentCardProps) {
  const canEdit = useCanEdit(flag);
  const switching = useSwitchFlag(flag.project);
  const [isAdding, setAdding] = useState(false);
  const { name, type, enabled, strategies, lastSeenAt } = environment;
  return (
    <section className="card flag-environment-card" aria-label={name}>
      <header className="flag-environment-header">
        <div className="flag-environment-title">
          <h2>{name}</h2>
          {type === "production" && name !== type ? <Badge kind="accent">{type}</Badge> : null}
        </div>
        <Switch
          label={enabled ? "On" : "Off"}
          isSelected={enabled}
          isDisabled={!canEdit}
          onChange={(isSelected) =>
            switching.mutate({ flag: flag.name, environment: name, enabled: isSelected })
          }
        />
      </header>
      <p className="flag-sentence">{describeEnvironment(environment, names)}</p>
      {strategies.length === 0 ? (
        <p className="muted flag-note">
          No strategies. {canEdit ? "Turning the flag on adds one for everyone." : null}
        </p>
      ) : (
        <StrategyList flag={flag} environment={environment} names={names} canEdit={canEdit} />
      )}
      {canEdit ? (
        <div>
          <Button size="small" onPress={() => setAdding(true)}>
            <Plus aria-hidden /> Add strategy
          </Button>
        </div>
      ) : null}
      <EnvironmentVariants flag={flag} environment={environment} canEdit={canEdit} />
      <p className="muted flag-note">
        {lastSeenAt === null ? (
          "No application has evaluated it here yet."
        ) : (
          <>
            Last evaluated <Time value={lastSeenAt} />
          </>
        )}
      </p>
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
