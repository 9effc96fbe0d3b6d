import { getRouteApi, Link } from "@tanstack/react-router";
import { CLEANUP_FIELDS } from "../app/list-fields.ts";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { CleanupList } from "./cleanup-list.tsx";
import { Lifetimes } from "./lifetimes.tsx";

const route = getRouteApi("/shell/projects/$project/cleanup");

const DESCRIPTION =
  "Flags that can be removed, those that nothing uses first. Remove a flag from the code, then archive it.";

/** The flags of a project that can be removed. */
export function ProjectCleanupPage() {
  const { project } = route.useParams();
  return (
    <Page
      title="Clean up"
      description={DESCRIPTION}
      actions={<Link to="/cleanup">All projects</Link>}
    >
      <CleanupList key={project} project={project} />
    </Page>
  );
}

/** The flags of all projects that can be removed, and how long flags should exist. */
export function AllCleanupPage() {
  const [{ tab }, changeList] = useListState(CLEANUP_FIELDS);
  return (
    <Page title="Flags to clean up" description={DESCRIPTION}>
      <Tabs
        label="Flags to clean up"
        selected={tab}
        onSelect={(id) => changeList({ tab: id })}
        tabs={[
          { id: "flags", label: "Flags", content: () => <CleanupList project="" /> },
          { id: "lifetimes", label: "Lifetimes", content: () => <Lifetimes /> },
        ]}
      />
    </Page>
  );
}
