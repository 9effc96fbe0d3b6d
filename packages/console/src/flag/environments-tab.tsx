import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import type { Flag } from "../api/types.ts";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loaded.tsx";
import { Dependencies } from "./dependencies.tsx";
import { EnvironmentCard } from "./environment-card.tsx";

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
              environment={environment}
              names={names}
            />
          ))}
        </div>
      )}
      <Dependencies flag={flag} />
    </div>
  );
}
