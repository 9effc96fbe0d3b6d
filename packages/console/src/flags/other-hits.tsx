import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { useDebounced } from "../ui/use-debounced.ts";

interface OtherHitsProps {
  /** What was searched for. */
  readonly text: string;
  /** The list that was searched, whose own flags are not mentioned. */
  readonly project: string;
  readonly isArchive: boolean;
}

/** Flags that match a search in other projects and in archives, for a list in which none does. */
export function OtherHits({ text, project, isArchive }: OtherHitsProps) {
  const query = useDebounced(text.trim());
  const { data: projects = [] } = useQuery(queries.projects());
  const { data: active = [] } = useQuery({ ...queries.foundFlags(query), enabled: query !== "" });
  const { data: archived = [] } = useQuery({
    ...queries.foundFlags(query, true),
    enabled: query !== "",
  });
  const hits = [
    ...active.map((flag) => ({ ...flag, isArchived: false })),
    ...archived.map((flag) => ({ ...flag, isArchived: true })),
  ].filter((flag) => flag.project !== project || flag.isArchived !== isArchive);
  if (query === "" || hits.length === 0) return null;
  return (
    <div className="other-hits">
      <p>Elsewhere, there {hits.length === 1 ? "is" : "are"}:</p>
      <ul>
        {hits.map((flag) => (
          <li key={flag.name}>
            <Link
              to="/projects/$project/flags/$flag"
              params={{ project: flag.project, flag: flag.name }}
            >
              {flag.name}
            </Link>{" "}
            <span className="muted">
              in {flag.isArchived ? "the archive of " : ""}
              {projects.find(({ id }) => id === flag.project)?.name ?? flag.project}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
