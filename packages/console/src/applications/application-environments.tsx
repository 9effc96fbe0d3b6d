import { useState } from "react";
import type { ApplicationDetails, ApplicationOverview } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Time } from "../ui/time.tsx";

type Environment = ApplicationOverview["environments"][number];
type Instance = ApplicationDetails["instances"][number];

interface ApplicationEnvironmentsProps {
  readonly environments: readonly Environment[];
  readonly instances: readonly Instance[];
}

/** Where an application runs, and its instances. */
export function ApplicationEnvironments({ environments, instances }: ApplicationEnvironmentsProps) {
  return (
    <div className="application-environments">
      {environments.map((environment) => (
        <EnvironmentCard
          key={environment.name}
          environment={environment}
          instances={instances.filter((one) => one.environment === environment.name)}
        />
      ))}
    </div>
  );
}

/** How many instances are listed at first. */
const SHOWN = 5;

interface EnvironmentCardProps {
  readonly environment: Environment;
  readonly instances: readonly Instance[];
}

function EnvironmentCard({ environment, instances }: EnvironmentCardProps) {
  const { name, sdks, lastSeen } = environment;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? instances : instances.slice(0, SHOWN);
  return (
    <section className="card card-body" aria-label={name}>
      <h2>{name}</h2>
      <p className="muted">
        {describeCount(instances.length, "instance")}, last report <Time value={lastSeen} />
        {sdks.length === 0 ? "" : `, ${sdks.join(", ")}`}
      </p>
      {instances.length === 0 ? null : (
        <ul className="application-list">
          {shown.map((instance) => (
            <li key={instance.instanceId}>
              <span>{instance.instanceId}</span>
              <span className="muted">
                {instance.sdkVersion === null ? "" : `${instance.sdkVersion}, `}
                <Time value={instance.lastSeen} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {instances.length > SHOWN ? (
        <div>
          <Button size="small" onPress={() => setShowsAll(!showsAll)}>
            {showsAll
              ? "Show fewer instances"
              : `Show all ${describeCount(instances.length, "instance")}`}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
