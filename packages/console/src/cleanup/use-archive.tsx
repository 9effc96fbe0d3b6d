import { adminPath, request } from "../api/request.ts";
import type { CleanupFlag } from "../api/types.ts";
import { ask } from "../changes/confirmations.tsx";
import { placesIn, useRequiredApprovals } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { describeArchiving } from "../flags/consequence.ts";
import { NameList } from "../ui/name-list.tsx";
import { describeCount } from "../ui/numbers.ts";
import { byProject } from "./use-cleanup.ts";
import { UsedFlags } from "./used-flags.tsx";

interface Archiving {
  readonly project: string;
  readonly flags: readonly CleanupFlag[];
}

/** Returns a function that archives flags of any projects after a question, which names those that applications still use. */
export function useArchive(): (flags: readonly CleanupFlag[], onDone?: () => void) => void {
  const requiredApprovals = useRequiredApprovals();
  const archiving = useChange<Archiving>({
    run: ({ project, flags }) =>
      request(adminPath`/projects/${project}/archive`, {
        method: "POST",
        body: { features: flags.map(({ name }) => name) },
      }),
    proposes: ({ project, flags }) => ({
      places: placesIn(project, environmentsOf(flags)),
      changes: flags.map(({ name }) => ({ feature: name, action: "archiveFeature" })),
    }),
    invalidates: [["cleanup"], ["flags"], ["flag"], ["projects"]],
    success: ({ flags }) => `Archived ${describeCount(flags.length, "flag")}`,
    // NOTE: cannot be undone, because reviving flags restores neither where they were on nor their dependencies.
  });
  return (flags, onDone) => {
    const projects = byProject(flags);
    const isRequested = flags.some(({ project, ...flag }) =>
      environmentsOf([flag]).some((environment) => requiredApprovals(project, environment) > 0),
    );
    const [first] = flags;
    const subject = flags.length === 1 ? (first?.name ?? "") : describeCount(flags.length, "flag");
    ask(
      {
        title: `Archive ${subject}?`,
        consequence:
          describeArchiving(flags) ?? "This changes nothing for anybody: off everywhere already.",
        submit: "Archive",
        details: (
          <>
            {isRequested ? (
              <p>Where changes require approvals, this is added to a change request instead.</p>
            ) : null}
            {Array.from(projects, ([project, names]) => (
              <UsedFlags key={project} project={project} names={names} />
            ))}
            {flags.length > 1 ? <NameList names={flags.map(({ name }) => name)} /> : null}
          </>
        ),
      },
      () => {
        for (const project of projects.keys()) {
          archiving.mutate({ project, flags: flags.filter((flag) => flag.project === project) });
        }
        onDone?.();
      },
    );
  };
}

function environmentsOf(flags: readonly Pick<CleanupFlag, "environments">[]): readonly string[] {
  const used = flags.flatMap(({ environments }) =>
    environments.filter(({ hasStrategies }) => hasStrategies),
  );
  return [...new Set(used.map(({ name }) => name))];
}
