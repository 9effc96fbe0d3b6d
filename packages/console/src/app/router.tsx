import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { parseContextSearch, parsePlaygroundSearch } from "../playground/context-address.ts";
import {
  ALL_FLAG_FIELDS,
  APPLICATION_FIELDS,
  ARCHIVE_FIELDS,
  CHANGE_REQUEST_FIELDS,
  CLEANUP_FIELDS,
  CONTEXT_FIELD_FIELDS,
  EVENT_FIELDS,
  PROJECT_CHANGE_REQUEST_FIELDS,
  PROJECT_FIELDS,
  RESULT_FIELDS,
  SEGMENT_FIELDS,
  TAG_FIELDS,
  TOKEN_FIELDS,
  USAGE_FIELDS,
  USER_FIELDS,
} from "./list-fields.ts";
import { FLAG_FIELDS } from "../flags/filter-flags.ts";
import { FlagsPage } from "../flags/flags-page.tsx";
import { openLink } from "../session/opened-link.ts";
import { isSignedOut, sessionQuery } from "../session/session.ts";
import { SignInPage } from "../session/sign-in-page.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Loading } from "../ui/loaded.tsx";
import { listSearch } from "../ui/list-search.ts";
import { CREATE_FIELDS } from "../ui/use-creating.ts";
import { NotFound, RouteError } from "./errors.tsx";
import { rememberedProject } from "./remembered-choices.ts";
import { Shell } from "./shell.tsx";

interface RouterContext {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  errorComponent: RouteError,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ returnTo, problem }): { returnTo?: string; problem?: string } => ({
    ...(typeof returnTo === "string" && { returnTo }),
    ...(typeof problem === "string" && { problem }),
  }),
  component: SignInPage,
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  beforeLoad: ({ location }) => openLink("/setup", location),
  component: lazyPart(async () => (await import("../session/setup-page.tsx")).SetupPage),
});

const newUser = createRoute({
  getParentRoute: () => root,
  path: "/new-user",
  beforeLoad: ({ location }) => openLink("/new-user", location),
  component: lazyPart(
    async () => (await import("../session/choose-password-page.tsx")).NewUserPage,
  ),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  beforeLoad: ({ location }) => openLink("/reset-password", location),
  component: lazyPart(
    async () => (await import("../session/choose-password-page.tsx")).ResetPasswordPage,
  ),
});

/** The frame of all pages for people who have signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context: { client }, location }) => {
    await client.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
      redirect({ to: "/sign-in", search: { returnTo: location.href }, throw: true });
    });
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: async ({ context: { client } }) => {
    const { projects } = await client.ensureQueryData(queries.projects());
    const project = projects.find(({ id }) => id === rememberedProject()) ?? projects[0];
    if (project === undefined) redirect({ to: "/projects", throw: true });
    else {
      redirect({ to: "/projects/$project/flags", params: { project: project.id }, throw: true });
    }
  },
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/projects",
  validateSearch: listSearch({ ...PROJECT_FIELDS, ...CREATE_FIELDS }),
  component: lazyPart(async () => (await import("../projects/projects-page.tsx")).ProjectsPage),
});

const flags = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags",
  validateSearch: listSearch({ ...FLAG_FIELDS, ...CREATE_FIELDS }),
  component: FlagsPage,
});

const allFlags = createRoute({
  getParentRoute: () => shell,
  path: "/flags",
  validateSearch: listSearch(ALL_FLAG_FIELDS),
  component: lazyPart(async () => (await import("../flags/all-flags-page.tsx")).AllFlagsPage),
});

const projectCleanup = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/cleanup",
  component: lazyPart(
    async () => (await import("../cleanup/cleanup-pages.tsx")).ProjectCleanupPage,
  ),
});

const allCleanup = createRoute({
  getParentRoute: () => shell,
  path: "/cleanup",
  validateSearch: listSearch(CLEANUP_FIELDS),
  component: lazyPart(async () => (await import("../cleanup/cleanup-pages.tsx")).AllCleanupPage),
});

const archive = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/archive",
  validateSearch: listSearch(ARCHIVE_FIELDS),
  component: lazyPart(async () => (await import("../flags/archive-page.tsx")).ArchivePage),
});

function parseTab({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: string } {
  return typeof tab === "string" ? { tab } : {};
}

const flag = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags/$flag",
  validateSearch: (search: Readonly<Record<string, unknown>>) => ({
    ...parseTab(search),
    ...parseContextSearch(search),
    ...listSearch({ ...EVENT_FIELDS, ...USAGE_FIELDS })(search),
  }),
  component: lazyPart(async () => (await import("../flag/flag-page.tsx")).FlagPage),
});

const project = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project",
  component: lazyPart(async () => (await import("../projects/project-page.tsx")).ProjectPage),
});

const projectSettings = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/settings",
  component: lazyPart(
    async () => (await import("../projects/project-settings-page.tsx")).ProjectSettingsPage,
  ),
});

const transfer = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/transfer",
  component: lazyPart(async () => (await import("../transfer/transfer-page.tsx")).TransferPage),
});

const projectRequests = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/change-requests",
  validateSearch: listSearch(PROJECT_CHANGE_REQUEST_FIELDS),
  component: lazyPart(
    async () => (await import("../change-requests/requests-page.tsx")).ProjectRequestsPage,
  ),
});

const changeRequest = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/change-requests/$id",
  component: lazyPart(
    async () => (await import("../change-requests/request-page.tsx")).RequestPage,
  ),
});

const allRequests = createRoute({
  getParentRoute: () => shell,
  path: "/change-requests",
  validateSearch: listSearch(CHANGE_REQUEST_FIELDS),
  component: lazyPart(
    async () => (await import("../change-requests/requests-page.tsx")).AllRequestsPage,
  ),
});

const playground = createRoute({
  getParentRoute: () => shell,
  path: "/playground",
  validateSearch: (search: Readonly<Record<string, unknown>>) => ({
    ...parsePlaygroundSearch(search),
    ...listSearch(RESULT_FIELDS)(search),
  }),
  component: lazyPart(
    async () => (await import("../playground/playground-page.tsx")).PlaygroundPage,
  ),
});

const segments = createRoute({
  getParentRoute: () => shell,
  path: "/segments",
  validateSearch: listSearch({ ...SEGMENT_FIELDS, ...CREATE_FIELDS }),
  component: lazyPart(async () => (await import("../segments/segments-page.tsx")).SegmentsPage),
});

const contextFields = createRoute({
  getParentRoute: () => shell,
  path: "/context-fields",
  validateSearch: listSearch({ ...CONTEXT_FIELD_FIELDS, ...CREATE_FIELDS }),
  component: lazyPart(
    async () => (await import("../context-fields/context-fields-page.tsx")).ContextFieldsPage,
  ),
});

const environments = createRoute({
  getParentRoute: () => shell,
  path: "/environments",
  component: lazyPart(
    async () => (await import("../environments/environments-page.tsx")).EnvironmentsPage,
  ),
});

const tags = createRoute({
  getParentRoute: () => shell,
  path: "/tags",
  validateSearch: listSearch(TAG_FIELDS),
  component: lazyPart(async () => (await import("../tags/tags-page.tsx")).TagsPage),
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  validateSearch: listSearch({ ...TOKEN_FIELDS, ...CREATE_FIELDS }),
  component: lazyPart(async () => (await import("../tokens/tokens-page.tsx")).TokensPage),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  validateSearch: listSearch(USER_FIELDS),
  component: lazyPart(async () => (await import("../users/users-page.tsx")).UsersPage),
});

const notifications = createRoute({
  getParentRoute: () => shell,
  path: "/notifications",
  component: lazyPart(
    async () => (await import("../notifications/notifications-page.tsx")).NotificationsPage,
  ),
});

const notification = createRoute({
  getParentRoute: () => shell,
  path: "/notifications/$notification",
  component: lazyPart(
    async () => (await import("../notifications/notification-page.tsx")).NotificationPage,
  ),
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: "/profile",
  component: lazyPart(async () => (await import("../profile/profile-page.tsx")).ProfilePage),
});

const sessions = createRoute({
  getParentRoute: () => shell,
  path: "/sessions",
  component: lazyPart(async () => (await import("../sessions/sessions-page.tsx")).SessionsPage),
});

const applications = createRoute({
  getParentRoute: () => shell,
  path: "/applications",
  validateSearch: listSearch(APPLICATION_FIELDS),
  component: lazyPart(
    async () => (await import("../applications/applications-page.tsx")).ApplicationsPage,
  ),
});

const application = createRoute({
  getParentRoute: () => shell,
  path: "/applications/$application",
  component: lazyPart(
    async () => (await import("../applications/application-page.tsx")).ApplicationPage,
  ),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: "/events",
  validateSearch: listSearch(EVENT_FIELDS),
  component: lazyPart(async () => (await import("../events/events-page.tsx")).EventsPage),
});

/** Every other address. */
const unknown = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: NotFound,
});

const tree = root.addChildren([
  signIn,
  setup,
  newUser,
  resetPassword,
  shell.addChildren([
    home,
    projects,
    flags,
    allFlags,
    projectCleanup,
    allCleanup,
    archive,
    flag,
    project,
    projectSettings,
    transfer,
    projectRequests,
    changeRequest,
    allRequests,
    playground,
    segments,
    contextFields,
    environments,
    tags,
    tokens,
    users,
    notifications,
    notification,
    profile,
    sessions,
    applications,
    application,
    events,
    unknown,
  ]),
]);

/** The pages of the console, below the address of the service. */
export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: new URL(document.baseURI).pathname,
    context: { client },
    defaultPreload: "intent",
    defaultErrorComponent: RouteError,
    defaultPendingComponent: Loading,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
