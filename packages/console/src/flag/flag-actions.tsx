import { EllipsisVertical } from "lucide-react";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { ArchiveFlagDialog } from "./archive-flag-dialog.tsx";
import { CopyFlagDialog } from "./copy-flag-dialog.tsx";
import { EditFlagDialog } from "./edit-flag-dialog.tsx";

/** What can be done with a flag as a whole. */
export function FlagActions({ flag }: { readonly flag: Flag }) {
  const canEdit = useHasRole("editor");
  const [dialog, setDialog] = useState<"edit" | "copy" | "archive">();
  const { project, name, stale } = flag;
  const markStale = (isStale: boolean): Promise<unknown> =>
    request(adminPath`/projects/${project}/stale`, {
      method: "POST",
      body: { features: [name], stale: isStale },
    });
  const marking = useChange<boolean>({
    run: markStale,
    invalidates: [
      ["flag", project, name],
      ["flags", project],
    ],
    success: (isStale) => `Marked ${name} as ${isStale ? "stale" : "active"}`,
    undo: (isStale) => markStale(!isStale),
  });
  const close = (): void => setDialog(undefined);
  if (!canEdit) return null;
  return (
    <>
      <Button onPress={() => setDialog("edit")}>Edit</Button>
      <Menu
        entries={[
          { label: "Copy…", run: () => setDialog("copy") },
          {
            label: stale ? "Mark as active" : "Mark as stale",
            run: () => marking.mutate(!stale),
          },
          { label: "Archive…", run: () => setDialog("archive"), isDangerous: true },
        ]}
      >
        <IconButton label="More actions">
          <EllipsisVertical aria-hidden />
        </IconButton>
      </Menu>
      {dialog === "edit" ? <EditFlagDialog flag={flag} onClose={close} /> : null}
      {dialog === "copy" ? <CopyFlagDialog flag={flag} onClose={close} /> : null}
      {dialog === "archive" ? <ArchiveFlagDialog flag={flag} onClose={close} /> : null}
    </>
  );
}
