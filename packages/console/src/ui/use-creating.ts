import { useEffect, useState } from "react";
import { useListState } from "./use-list-state.ts";

/** The parameter with which a link opens the dialog of a page that creates something. */
export const CREATE_FIELDS = { create: ["", "yes"] } as const;

/** Whether the dialog that creates something is open: after a button was pressed, or a link with the parameter. */
export function useCreating() {
  const [isCreating, setCreating] = useState(false);
  const [{ create }, change] = useListState(CREATE_FIELDS);
  useEffect(() => {
    if (create === "") return;
    setCreating(true);
    // Reloading the page does not open it again.
    change({ create: "" });
  }, [create, change]);
  return [isCreating, setCreating] as const;
}
