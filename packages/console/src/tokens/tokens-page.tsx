import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { TOKEN_FIELDS } from "../app/list-fields.ts";
import { queries } from "../api/queries.ts";
import type { Token } from "../api/types.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { describeShown } from "../ui/numbers.ts";
import { SearchField } from "../ui/fields.tsx";
import { FilterSelect } from "../ui/select.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { useCreating } from "../ui/use-creating.ts";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, sortDistinct, toWords } from "../ui/words.ts";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { TokenTable } from "./token-table.tsx";
import { describeTokenType } from "./token-types.ts";
import "./tokens.css";

/** The tokens with which applications, people and scripts use the service. */
export function TokensPage() {
  const tokens = useQuery(queries.tokens());
  const isAdmin = useHasRole("admin");
  const [isCreating, setCreating] = useCreating();
  return (
    <Page
      title="API tokens"
      description="Applications, people and scripts need a token to use this service. Give each of them its own, so that you can delete one without affecting the others."
      actions={
        isAdmin ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New token
          </Button>
        ) : undefined
      }
    >
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no tokens yet">
              <p>An application needs a token before it can read its flags.</p>
            </Empty>
          ) : (
            <Tokens tokens={all} isAdmin={isAdmin} />
          )
        }
      </Loaded>
      {isCreating ? <CreateTokenDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly isAdmin: boolean;
}

function Tokens({ tokens, isAdmin }: TokensProps) {
  const [{ query, type, environment, sort }, changeList] = useListState(TOKEN_FIELDS);
  const shown = useMemo(() => {
    const words = toWords(query);
    return tokens.filter(
      (token) =>
        (type === "" || token.type === type) &&
        (environment === "" || token.environment === environment) &&
        matchesWords(words, token.tokenName, ...token.projects),
    );
  }, [tokens, query, type, environment]);
  const types = sortDistinct(tokens.map((token) => token.type));
  const environments = sortDistinct(tokens.map((token) => token.environment)).filter(
    (name) => name !== "*",
  );
  return (
    <>
      <div className="token-filters" role="search">
        <SearchField
          label="Search by name or project"
          value={query}
          onChange={(text) => changeList({ query: text })}
        />
        <FilterSelect
          label="Type"
          hidesLabel
          all="All types"
          choices={types.map((id) => ({ id, label: describeTokenType(id).name }))}
          value={type}
          onChange={(id) => changeList({ type: id })}
        />
        <FilterSelect
          label="Environment"
          hidesLabel
          all="All environments"
          choices={environments.map((id) => ({ id, label: id }))}
          value={environment}
          onChange={(id) => changeList({ environment: id })}
        />
      </div>
      <p className="muted" role="status">
        {describeShown(shown.length, tokens.length, "token")}
      </p>
      {shown.length === 0 ? (
        <Empty title="No token matches">
          <Button onPress={() => changeList({ query: "", type: "", environment: "" })}>
            Show all tokens
          </Button>
        </Empty>
      ) : (
        <TokenTable
          tokens={shown}
          canChange={isAdmin}
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
        />
      )}
    </>
  );
}
