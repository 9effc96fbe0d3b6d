import { useState } from "react";
import type { Flag, RecordedEvent } from "../api/types.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu } from "../ui/menu.tsx";
import { canGoBefore, isRestorable } from "./restorable.ts";

const RestoreDialog = lazyPart(async () => (await import("./restore-dialog.tsx")).RestoreDialog);

interface RestoreMenuProps {
  readonly flag: Flag;
  readonly event: RecordedEvent;
}

/** Offers to restore the versions of a flag before and after a recorded change. */
export function RestoreMenu({ flag, event }: RestoreMenuProps) {
  const canEdit = useHasProjectRole(flag.project, "editor");
  const [version, setVersion] = useState<"after" | "before">();
  if (!canEdit || !isRestorable(event.type)) return null;
  return (
    <>
      <Menu
        entries={[
          ...(canGoBefore(event.type)
            ? [{ label: "Go back to before this change…", run: () => setVersion("before") }]
            : []),
          { label: "Restore this version…", run: () => setVersion("after") },
        ]}
      >
        <Button size="small" variant="quiet">
          Restore
        </Button>
      </Menu>
      {version === undefined ? null : (
        <RestoreDialog
          flag={flag}
          event={event}
          before={version === "before"}
          onClose={() => setVersion(undefined)}
        />
      )}
    </>
  );
}
