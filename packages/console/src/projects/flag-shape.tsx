import { useState } from "react";
import type { ProjectSettings } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { FlagLinksDialog } from "./flag-links-dialog.tsx";
import { FlagNamingDialog } from "./flag-naming-dialog.tsx";
import { FlagNamingHint } from "./flag-naming-hint.tsx";

interface FlagShapeProps {
  readonly project: ProjectSettings;
  readonly canChange: boolean;
}

/** How flags of a project are named, and the links that each of them has. */
export function FlagShape({ project, canChange }: FlagShapeProps) {
  const { id, featureNaming, linkTemplates } = project;
  const [dialog, setDialog] = useState<"naming" | "links">();
  const close = (): void => setDialog(undefined);
  return (
    <section className="settings-section" aria-labelledby="flag-shape-heading">
      <h2 id="flag-shape-heading">Names and links of flags</h2>
      {featureNaming === null ? (
        <p className="muted">New flags can have any name.</p>
      ) : (
        <FlagNamingHint naming={featureNaming} />
      )}
      {canChange ? (
        <div>
          <Button onPress={() => setDialog("naming")}>
            {featureNaming === null ? "Set a pattern for names" : "Change the pattern"}
          </Button>
        </div>
      ) : null}
      {linkTemplates.length === 0 ? (
        <p className="muted">
          Flags have no links of the project. With them, each flag leads to its code, tasks or
          dashboards.
        </p>
      ) : (
        <ul className="settings-list" aria-label="Links of flags">
          {linkTemplates.map(({ title, urlTemplate }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- two can be equal
            <li key={index}>
              <span className="settings-list-text">
                {title === null ? null : <strong>{title} </strong>}
                <code>{urlTemplate}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
      {canChange ? (
        <div>
          <Button onPress={() => setDialog("links")}>
            {linkTemplates.length === 0 ? "Add links" : "Change the links"}
          </Button>
        </div>
      ) : null}
      {dialog === "naming" ? <FlagNamingDialog project={id} onClose={close} /> : null}
      {dialog === "links" ? <FlagLinksDialog project={id} onClose={close} /> : null}
    </section>
  );
}
