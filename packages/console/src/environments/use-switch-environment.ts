import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";

interface Switching {
  readonly name: string;
  readonly enabled: boolean;
}

/** Decides whether new projects contain an environment. */
export function useSwitchEnvironment() {
  const send = ({ name, enabled }: Switching): Promise<void> =>
    request(adminPath`/environments/${name}/${enabled ? "on" : "off"}`, { method: "POST" });
  return useChange<Switching>({
    run: send,
    invalidates: [["environments"]],
    success: ({ name, enabled }) =>
      enabled ? `New projects now contain ${name}` : `New projects no longer contain ${name}`,
    undo: ({ name, enabled }) => send({ name, enabled: !enabled }),
  });
}
