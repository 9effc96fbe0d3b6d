import { TAG_FIELDS } from "../app/list-fields.ts";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { TagTypes } from "./tag-types.tsx";
import { Tags } from "./tags.tsx";

/** Tags of flags, and their types. */
export function TagsPage() {
  const [{ tab }, changeList] = useListState(TAG_FIELDS);
  return (
    <Page
      title="Tags"
      description="Tags group flags across projects, for example by team or by release. They have no effect on applications."
    >
      <Tabs
        label="Tags"
        selected={tab}
        onSelect={(id) => changeList({ tab: id, query: "", sort: "" })}
        tabs={[
          { id: "tags", label: "Tags", content: () => <Tags /> },
          { id: "types", label: "Tag types", content: () => <TagTypes /> },
        ]}
      />
    </Page>
  );
}
