import { getRouteApi } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { ImportSection } from "./import-section.tsx";
import { toFileName } from "./import-file.ts";
import "./transfer.css";

const route = getRouteApi("/shell/projects/$project/transfer");

/** Exports a project to a file and imports a file into it. */
export function TransferPage() {
  const { project } = route.useParams();
  const canEdit = useHasProjectRole(project, "editor");
  const exporting = useChange({
    run: async () => {
      download(
        await request(adminPath`/projects/${project}/export`),
        toFileName(project, new Date()),
      );
    },
    invalidates: [],
  });
  return (
    <Page
      title="Import and export"
      description="Export this project's flags, or import flags from a file."
    >
      <section className="card card-body" aria-labelledby="export-heading">
        <h2 id="export-heading">Export</h2>
        <p>
          The file contains all active flags with their strategies, and the segments, context fields
          and tags that they use. It contains no API tokens.
        </p>
        <div>
          <Button
            variant="primary"
            isPending={exporting.isPending}
            onPress={() => exporting.mutate()}
          >
            <Download aria-hidden /> Download the flags
          </Button>
        </div>
      </section>
      {canEdit ? <ImportSection key={project} project={project} /> : null}
    </Page>
  );
}

/** Lets the browser save a value as a file. */
function download(value: unknown, name: string): void {
  const blob = new Blob([`${JSON.stringify(value, undefined, 2)}\n`], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
