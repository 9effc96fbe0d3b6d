import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import "../ui/name-list.css";

interface EnvironmentProjectsDialogProps {
  readonly environment: string;
  readonly onClose: () => void;
}

/** Shows which projects contain an environment. */
export function EnvironmentProjectsDialog({
  environment,
  onClose,
}: EnvironmentProjectsDialogProps) {
  const projects = useQuery(queries.projects());
  return (
    <Dialog title={`Projects with ${environment}`} onClose={onClose}>
      <div className="dialog-content">
        <Loaded query={projects}>
          {(all) => {
            const found = all.filter(({ environments }) => environments.includes(environment));
            return found.length === 0 ? (
              <p>No project contains this environment. Add it in the settings of a project.</p>
            ) : (
              <ul className="name-list">
                {found.map(({ id, name }) => (
                  <li key={id}>
                    <Link to="/projects/$project/settings" params={{ project: id }}>
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </div>
    </Dialog>
  );
}
