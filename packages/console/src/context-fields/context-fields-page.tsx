import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { queries } from "../api/queries.ts";
import type { ContextFieldSummary } from "../api/types.ts";
import { CONTEXT_FIELD_FIELDS } from "../app/list-fields.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { useCreating } from "../ui/use-creating.ts";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { ContextFieldDialog } from "./context-field-dialog.tsx";
import { ContextFieldTable } from "./context-field-table.tsx";

/** The fields of the context, which constraints compare. */
export function ContextFieldsPage() {
  const fields = useQuery(queries.contextFields());
  const canEdit = useHasRole("editor");
  const [isCreating, setCreating] = useCreating();
  return (
    <Page
      title="Context fields"
      description="What applications send about their users, such as the country or the plan. Strategies and segments use these fields to choose who gets a flag."
      actions={
        canEdit ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New context field
          </Button>
        ) : undefined
      }
    >
      <Loaded query={fields}>{(all) => <ContextFields fields={all} canEdit={canEdit} />}</Loaded>
      {isCreating ? <ContextFieldDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

interface ContextFieldsProps {
  readonly fields: readonly ContextFieldSummary[];
  readonly canEdit: boolean;
}

function ContextFields({ fields, canEdit }: ContextFieldsProps) {
  const [{ query, sort }, changeList] = useListState(CONTEXT_FIELD_FIELDS);
  const setQuery = (text: string): void => changeList({ query: text });
  const shown = useMemo(() => {
    const words = toWords(query);
    return fields.filter(({ name, description }) => matchesWords(words, name, description));
  }, [fields, query]);
  return (
    <>
      <div className="row" role="search">
        <SearchField label="Search by name or description" value={query} onChange={setQuery} />
      </div>
      {shown.length === 0 ? (
        <Empty title="No context field matches">
          <Button onPress={() => setQuery("")}>Show all context fields</Button>
        </Empty>
      ) : (
        <ContextFieldTable
          fields={shown}
          canEdit={canEdit}
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
        />
      )}
    </>
  );
}
