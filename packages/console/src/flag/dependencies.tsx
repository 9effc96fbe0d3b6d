import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { joinWithOr } from "../ui/words.ts";
import { DependencyDialog, setParent } from "./dependency-dialog.tsx";

/** The flag that a flag depends on, and the flags that depend on it. */
export function Dependencies({ flag }: { readonly flag: Flag }) {
  const canEdit = useHasRole("editor");
  const [isEditing, setEditing] = useState(false);
  const { project, name, dependencies, children } = flag;
  const [parent] = dependencies;
  const removal = useChange({
    run: () =>
      request(adminPath`/projects/${project}/features/${name}/dependencies`, { method: "DELETE" }),
    invalidates: [["flag", project]],
    success: () => "Removed the dependency",
    undo: async () => {
      if (parent !== undefined) await setParent(flag, parent);
    },
  });
  if (parent === undefined && children.length === 0 && !canEdit) return null;
  return (
    <section className="card" aria-label="Dependencies">
      <div className="card-body">
        <h2 className="flag-subtitle">Dependencies</h2>
        {parent === undefined ? null : (
          <p className="flag-note">
            Off unless <FlagLink project={project} flag={parent.feature} />{" "}
            {describeCondition(parent)}.
          </p>
        )}
        {children.length === 0 ? null : (
          <p className="flag-note">
            These flags depend on this one:{" "}
            {children.map((child, index) => (
              <span key={child}>
                {index === 0 ? null : ", "}
                <FlagLink project={project} flag={child} />
              </span>
            ))}
            .
          </p>
        )}
        {parent === undefined && children.length === 0 ? (
          <p className="muted flag-note">
            A flag can depend on another one: it is then off wherever the other one does not have
            the state that you choose.
          </p>
        ) : null}
        {canEdit ? (
          <div className="row">
            {children.length === 0 ? (
              <Button size="small" onPress={() => setEditing(true)}>
                {parent === undefined ? "Add dependency" : "Change"}
              </Button>
            ) : (
              <span className="muted">A flag that other flags depend on cannot have a parent.</span>
            )}
            {parent === undefined ? null : (
              <Button size="small" variant="quiet" onPress={() => removal.mutate()}>
                Remove
              </Button>
            )}
          </div>
        ) : null}
      </div>
      {isEditing ? <DependencyDialog flag={flag} onClose={() => setEditing(false)} /> : null}
    </section>
  );
}

interface FlagLinkProps {
  readonly project: string;
  readonly flag: string;
}

function FlagLink({ project, flag }: FlagLinkProps) {
  return (
    <Link to="/projects/$project/flags/$flag" params={{ project, flag }}>
      {flag}
    </Link>
  );
}

function describeCondition({ enabled, variants }: Flag["dependencies"][number]): string {
  if (!enabled) return "is off";
  if (variants.length === 0) return "is on";
  return `is on with the variant ${joinWithOr(variants)}`;
}
