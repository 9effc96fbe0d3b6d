import type { Project } from "../api/types.ts";

type Mode = Project["mode"];

/** What the modes of projects mean for people. */
export const PROJECT_MODES: readonly {
  readonly id: Mode;
  readonly label: string;
  readonly description: string;
}[] = [
  { id: "open", label: "Open", description: "Everybody sees it. Editors change its flags." },
  {
    id: "protected",
    label: "Protected",
    description: "Everybody sees it. Only its members change its flags.",
  },
  {
    id: "private",
    label: "Private",
    description: "Only its members and admins see it. For others, it does not exist.",
  },
];
