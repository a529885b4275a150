/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A permission that a caller may hold. Tiers and clients list every permission except BROWSE and REPORT_EXPIRY, which follow from the account, VIEW_SUGGESTIONS, which follows from others, and those from OPERATE on, which belong to the roles of staff (StaffRole). */
export type Permission =
  /** Every caller whose account is in force holds this permission; it needs no role. */
  | 'BROWSE'
  /** An expired account holds this permission and no other. */
  | 'REPORT_EXPIRY'
  | 'VIEW_VIDEOS'
  | 'VIEW_VIDEO_TYPES'
  | 'VIEW_CHANNELS'
  | 'VIEW_DISCIPLINES'
  | 'VIEW_TAGS'
  | 'VIEW_CONTENT_WARNINGS'
  | 'VIEW_CONTENT_CATEGORIES'
  | 'VIEW_LEGAL_RESTRICTIONS'
  | 'DOWNLOAD_TRANSCRIPT'
  | 'DOWNLOAD_VIDEO'
  | 'RATE_VIDEOS'
  | 'TAG_VIDEOS'
  | 'SHARE_VIDEOS'
  /** Grants access to learning outcomes, assessment questions, highlights and CEFR levels. */
  | 'VIEW_LEARNING_MATERIAL'
  | 'VIEW_COLLECTIONS'
  | 'INSERT_COLLECTIONS'
  | 'UPDATE_COLLECTIONS'
  | 'DELETE_COLLECTIONS'
  /** Grants access to the collections of all accounts. Only the operator's clients can hold it, regardless of a customer's tier. */
  | 'VIEW_ANY_COLLECTION'
  | 'INSERT_EVENTS'
  | 'VIEW_USERS'
  /** Grants access to the usage of the account's clients and to its statements. User tokens do not carry it. */
  | 'VIEW_USAGE'
  /** Grants access to search suggestions. VIEW_VIDEOS and VIEW_COLLECTIONS each imply it. */
  | 'VIEW_SUGGESTIONS'
  /** Identifies the operator's own staff and programs. It grants access to the catalogue as it is stored and to the usage of all accounts. */
  | 'OPERATE'
  /** Grants every change of the catalogue and of search rules. */
  | 'EDIT_CATALOGUE'
  /** Grants access to accounts, clients, tiers, content packages and policies. */
  | 'VIEW_CUSTOMERS'
  | 'MANAGE_CUSTOMERS'
  /** Grants access to the users of all accounts and to what single persons watch. */
  | 'VIEW_PERSONS'
  | 'MANAGE_PERSONS'
  /** Grants access to the statements of all accounts and to voids. */
  | 'VIEW_BILLING'
  /** Grants sealing of months and voiding of plays. */
  | 'MANAGE_BILLING'
  /** Grants changes of the policies for all tokens and clients, and of sunsets. */
  | 'MANAGE_SYSTEM'
  /** Grants changes of the roles of staff and of the operator's own accounts, clients and users. */
  | 'MANAGE_STAFF';

/** A role of the operator's users and programs. Each may also read the catalogue as it is stored and the usage of all accounts. */
export type StaffRole =
  /** May do everything. Only owners change roles and the operator's own accounts, clients and users. */
  | 'OWNER'
  /** Changes the catalogue, search rules and collections. */
  | 'EDITOR'
  /** Changes accounts, clients, tiers, content packages and users, and reads statements. */
  | 'CUSTOMER_MANAGER'
  /** Reads accounts and changes users. */
  | 'SUPPORT'
  /** Reads accounts, seals statements and voids plays. */
  | 'FINANCE'
  /** Reads accounts, and changes policies and sunsets. */
  | 'ENGINEER'
  /** Reads accounts and statements, and changes nothing. */
  | 'VIEWER';

export type VideoType =
  | 'NEWS'
  | 'INSTRUCTIONAL'
  | 'STOCK'
  | 'PODCAST'
  | 'HISTORICAL_NEWS_ARCHIVE';

export type VideoSubtype =
  | 'ANIMATION'
  | 'CHALK_AND_TALK_PRESENTATION'
  | 'DEMONSTRATION'
  | 'DOCUMENTARY'
  | 'HISTORICAL_ARCHIVE'
  | 'INTERVIEW'
  | 'LIVE_ARTS_PERFORMANCES'
  | 'TALKING_HEAD';

/** A level of the Common European Framework of Reference for Languages. */
export type CefrLevel =
  | 'A1'
  | 'A2'
  | 'B1'
  | 'B2'
  | 'C1'
  | 'C2';

export type AttachmentType =
  | 'LESSON_PLAN'
  | 'ACTIVITY'
  | 'FINAL_PROJECT';

export type VideoOrder =
  | 'RELEVANCE'
  /** Videos are ordered by release date, newest first. */
  | 'RELEASE_DATE';

export type DurationRange = {
  min: string;
  /** The upper bound; without it, the range is open. */
  max?: string | null | undefined;
};

export type AgeBracket = {
  from: number;
  to: number;
};

/** Results match every field that is given. Any value of a list is enough, unless the field says otherwise. An empty list matches nothing. */
export type VideoFilter = {
  ids?: Array<string> | null | undefined;
  /** Keeps videos whose duration lies in one of the ranges, both ends included. */
  durations?: Array<DurationRange> | null | undefined;
  /** Keeps videos released on or after this day. */
  releasedFrom?: string | null | undefined;
  /** Keeps videos released on or before this day. */
  releasedTo?: string | null | undefined;
  /** Keeps videos whose updatedAt is on or after this UTC day. */
  updatedAsOf?: string | null | undefined;
  /**
   * Keeps videos whose age range shares at least two whole ages with one of the brackets.
   * @deprecated Filter by educationLevels.
   */
  ages?: Array<AgeBracket> | null | undefined;
  /**
   * Keeps videos whose lower age bound is known and at least this age.
   * @deprecated Filter by educationLevels.
   */
  ageMin?: number | null | undefined;
  /**
   * Keeps videos whose upper age bound is known and at most this age.
   * @deprecated Filter by educationLevels.
   */
  ageMax?: number | null | undefined;
  subjects?: Array<string> | null | undefined;
  /** Keeps videos whose subjects were chosen by people (true) or by a classifier (false). */
  subjectsSetManually?: boolean | null | undefined;
  /** Ids of channels. Exact names also match, but are deprecated; filter by ids. */
  channels?: Array<string> | null | undefined;
  types?: Array<VideoType> | null | undefined;
  /** Keeps videos that have every one of these tags. Tags are given by label, ignoring case. */
  bestFor?: Array<string> | null | undefined;
  promoted?: boolean | null | undefined;
  /** ISO 639-2 codes; und matches videos whose language is unknown. */
  languages?: Array<string> | null | undefined;
  educationLevels?: Array<string> | null | undefined;
  cefrLevels?: Array<CefrLevel> | null | undefined;
  subtypes?: Array<VideoSubtype> | null | undefined;
  resourceTypes?: Array<AttachmentType> | null | undefined;
  /** Keeps videos with one of these Thema codes or a code below one of them. */
  categories?: Array<string> | null | undefined;
  topics?: Array<string> | null | undefined;
  source?: VideoSource | null | undefined;
  /** The id of a content package. Keeps the videos that an account with the package can find; an unknown package matches nothing. This field requires the permission OPERATE. */
  contentPackage?: string | null | undefined;
  ngssCodes?: Array<string> | null | undefined;
  ngssGrades?: Array<string> | null | undefined;
};

export type VideoSource =
  /** The operator's own catalogue. */
  | 'SERVICE'
  | 'YOUTUBE';

/** The texts of a video that a search reads, by decreasing weight. */
export type VideoText =
  | 'TITLE'
  | 'KEYWORDS'
  | 'SUBJECTS'
  | 'CHANNEL'
  | 'DESCRIPTION'
  /** The transcript, or captions and highlights. */
  | 'TRANSCRIPT';

export type MissingReason =
  /** The index does not contain the video: it does not exist, or the index is behind. */
  | 'NOT_INDEXED'
  /** The video is retired, its availability has ended, its channel is private, or the content package excludes it. */
  | 'NOT_VISIBLE'
  /** A filter excludes the video. */
  | 'FILTER'
  /** The video has too few words of the query, and is not near it in meaning. */
  | 'WORDS';

export type Product =
  | 'INTEGRATE'
  | 'LTI'
  | 'LIBRARY'
  | 'CLASSROOM';

export type AccountType =
  | 'STANDARD'
  | 'TRIAL'
  | 'DEMO';

/** The status of an account. The server refuses tokens of a suspended account. */
export type AccountStatus =
  | 'ACTIVE'
  | 'SUSPENDED';

export type Environment =
  | 'LIVE'
  | 'SANDBOX';

export type CreateAccountInput = {
  id: string;
  name: string;
  operator?: boolean;
  tier?: string | null | undefined;
  products?: Array<Product> | null | undefined;
  type?: AccountType;
  status?: AccountStatus;
  accessExpiresOn?: string | null | undefined;
  subjects?: Array<string> | null | undefined;
  contentPackage?: string | null | undefined;
  allowedOrigins?: Array<string> | null | undefined;
  ignoresServiceUserId?: boolean;
  environment?: Environment;
  passwordSignIn?: boolean;
  identityProviders?: Array<IdentityProviderInput> | null | undefined;
  /** A PNG, JPEG or WebP image in Base64: at most 64 KiB, and 2048 x 2048 pixels. SVG is not accepted. */
  logo?: string | null | undefined;
  requestsPerMinute?: number | null | undefined;
  requestsPerMonth?: number | null | undefined;
};

export type UpdateAccountInput = {
  name?: string | null | undefined;
  tier?: string | null | undefined;
  products?: Array<Product> | null | undefined;
  type?: AccountType | null | undefined;
  status?: AccountStatus | null | undefined;
  accessExpiresOn?: string | null | undefined;
  subjects?: Array<string> | null | undefined;
  contentPackage?: string | null | undefined;
  allowedOrigins?: Array<string> | null | undefined;
  ignoresServiceUserId?: boolean | null | undefined;
  environment?: Environment | null | undefined;
  passwordSignIn?: boolean | null | undefined;
  /** Replaces the whole list. */
  identityProviders?: Array<IdentityProviderInput> | null | undefined;
  /** As for CreateAccountInput; null removes the logo. */
  logo?: string | null | undefined;
  /** Replaces the whole list. The users may have been deleted. */
  embedsTakenOver?: Array<string> | null | undefined;
  requestsPerMinute?: number | null | undefined;
  requestsPerMonth?: number | null | undefined;
};

export type IdentityProviderInput = {
  alias: string;
  name: string;
  /** An https address. On loopback, http is allowed too. */
  issuer: string;
  clientId: string;
  /** If omitted, the secret of the stored provider with the same alias and issuer is kept. */
  clientSecret?: string | null | undefined;
  scopes?: Array<string> | null | undefined;
  domains?: Array<string> | null | undefined;
};

export type SystemStatus =
  | 'UP'
  /** The service works without this part, more slowly or not for every request. */
  | 'DEGRADED'
  | 'DOWN';

export type CreateClientInput = {
  id: string;
  account: string;
  name?: string;
  /** If true, the client is created without a secret. */
  public?: boolean;
  requireSecret?: boolean;
  /** If true, the server refuses authorization requests without a code challenge. We recommend this, above all for public clients. */
  requirePkce?: boolean;
  redirectUris?: Array<string> | null | undefined;
  postLogoutRedirectUris?: Array<string> | null | undefined;
  roles?: Array<Permission> | null | undefined;
  staffRole?: StaffRole | null | undefined;
  disabled?: boolean;
};

export type UpdateClientInput = {
  name?: string | null | undefined;
  requireSecret?: boolean | null | undefined;
  requirePkce?: boolean | null | undefined;
  redirectUris?: Array<string> | null | undefined;
  postLogoutRedirectUris?: Array<string> | null | undefined;
  roles?: Array<Permission> | null | undefined;
  staffRole?: StaffRole | null | undefined;
  disabled?: boolean | null | undefined;
};

export type CreateUserInput = {
  account: string;
  externalId?: string | null | undefined;
  username?: string | null | undefined;
  /** The initial password. It requires a username. */
  password?: string | null | undefined;
  issuer?: string | null | undefined;
  subject?: string | null | undefined;
  email?: string | null | undefined;
  emailVerified?: boolean;
  givenName?: string | null | undefined;
  familyName?: string | null | undefined;
  disabled?: boolean;
};

export type UpdateUserInput = {
  externalId?: string | null | undefined;
  username?: string | null | undefined;
  issuer?: string | null | undefined;
  subject?: string | null | undefined;
  email?: string | null | undefined;
  emailVerified?: boolean | null | undefined;
  givenName?: string | null | undefined;
  familyName?: string | null | undefined;
  disabled?: boolean | null | undefined;
};

export type AccessRuleType =
  | 'IncludedVideos'
  /** Includes the videos of collections and follows their changes; at most 100 collections with 5,000 videos in all. Apart from their own, users can read only these collections. */
  | 'IncludedCollections'
  | 'IncludedChannels'
  | 'IncludedPrivateChannels'
  /** This rule takes no values. */
  | 'IncludeAllPrivateChannels'
  | 'IncludedVideoTypes'
  | 'IncludedSubjects'
  /** Thema codes. A code includes all codes below it. */
  | 'IncludedThemaCategories'
  | 'IncludedEducationLevels'
  /** STREAM or DOWNLOAD. The video's channel must offer one of the given methods; a channel without distribution methods offers none. */
  | 'IncludedDistributionMethods'
  | 'ExcludedVideos'
  | 'ExcludedChannels'
  | 'ExcludedVideoTypes'
  | 'ExcludedLanguages'
  | 'ExcludedPlaybackSources'
  | 'ExcludedEducationLevels'
  | 'ExcludedContentWarnings';

/** A rule of a content package. All rules of a package hold at most 5,000 values. Videos, channels, subjects, content warnings and collections (by id) and education levels (by code) must exist, unless the stored package names them already. */
export type AccessRuleInput = {
  type: AccessRuleType;
  values?: Array<string> | null | undefined;
};

export type CreateContentPackageInput = {
  id: string;
  name: string;
  rules: Array<AccessRuleInput>;
};

export type RecordKind =
  | 'account'
  | 'client'
  | 'user'
  | 'tier'
  | 'contentPackage'
  | 'policy'
  | 'deprecation'
  | 'logo'
  | 'staffMember'
  | 'secondFactor';

/** Keeps plays that match every list that is given; any value of a list is enough. An empty list matches nothing. */
export type UsageFilter = {
  /** The ids of accounts. Customers may name only their own. */
  accounts?: Array<string> | null | undefined;
  clients?: Array<string> | null | undefined;
  /** The ids of tokens' users. */
  users?: Array<string> | null | undefined;
  /** The clients' own identifiers of users. If users is also given, plays that match either list are kept. */
  externalUsers?: Array<string> | null | undefined;
  videos?: Array<string> | null | undefined;
  channels?: Array<string> | null | undefined;
  subjects?: Array<string> | null | undefined;
  /** If true, plays of sandbox accounts count too. */
  sandbox?: boolean;
};

export type UsageDimension =
  | 'ACCOUNT'
  | 'CLIENT'
  | 'USER'
  | 'VIDEO'
  | 'CHANNEL'
  /** A play counts once for each subject of its video. */
  | 'SUBJECT';

/** Selects the plays that match every given field. A selection names an event alone, a client with from and to, or a video. */
export type VoidSelection = {
  /** The id of an event, as event exports show it. */
  event?: string | null | undefined;
  /** Keeps plays of one account. It is required for a client that no longer exists. */
  account?: string | null | undefined;
  client?: string | null | undefined;
  /** The video id under which the plays were reported. Plays whose video did not exist or was hidden have no video. */
  video?: string | null | undefined;
  /** The start of the period of play (inclusive); to is its end (exclusive). A client requires both. */
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/** The kinds of catalogue records. */
export type CatalogueKind =
  | 'CONTRACT'
  | 'CONTRACT_LEGAL_RESTRICTION'
  | 'EDUCATION_LEVEL'
  | 'TAG'
  | 'CONTENT_WARNING'
  | 'SUBJECT'
  | 'DISCIPLINE'
  | 'TOPIC'
  | 'PHRASE'
  | 'SYNONYM'
  | 'SEARCH_RULE'
  | 'PROVIDER'
  | 'CHANNEL'
  | 'VIDEO'
  | 'CAPTIONS'
  | 'LEARNING_MATERIAL'
  | 'HIGHLIGHT'
  | 'THEME'
  | 'DISTRICT'
  | 'SCHOOL';

/** The value of a field that is released. */
export type ReleasedValue =
  /** The field keeps its value until the next import brings another one. */
  | 'STORED'
  /** The field gets the latest value that an import did not apply. */
  | 'IMPORTED';

export type RemovalReason =
  | 'DELETED'
  | 'RETIRED'
  /** The video's availability has ended. */
  | 'EXPIRED';

/** A group of search terms with the same meaning: 2 to 50 variants of 1 to 8 words each. */
export type SynonymInput = {
  words?: Array<string> | null | undefined;
};

export type VideoInput = {
  title?: string | null | undefined;
  channel?: string | null | undefined;
  releasedOn?: string | null | undefined;
  playback?: PlaybackInput | null | undefined;
  type?: VideoType | null | undefined;
  description?: string | null | undefined;
  additionalDescription?: string | null | undefined;
  subjects?: Array<string> | null | undefined;
  subjectsSetManually?: boolean | null | undefined;
  topics?: Array<string> | null | undefined;
  keywords?: Array<string> | null | undefined;
  language?: string | null | undefined;
  transcript?: string | null | undefined;
  ageRange?: AgesInput | null | undefined;
  educationLevels?: Array<string> | null | undefined;
  cefrLevel?: CefrLevel | null | undefined;
  contentCategories?: Array<VideoSubtype> | null | undefined;
  categories?: Array<string> | null | undefined;
  bestFor?: Array<string> | null | undefined;
  contentWarnings?: Array<string> | null | undefined;
  attachments?: Array<VideoAttachmentInput> | null | undefined;
  legalRestrictions?: string | null | undefined;
  promoted?: boolean | null | undefined;
  /** The last UTC day on which the video is available. */
  availableUntil?: string | null | undefined;
  legacyId?: string | null | undefined;
};

export type PlaybackInput = {
  /** The default is the video's id. */
  id?: string | null | undefined;
  /** HLS or YOUTUBE. The default is HLS. */
  provider?: string | null | undefined;
  duration: string;
  stream?: string | null | undefined;
  thumbnail?: string | null | undefined;
  preview?: string | null | undefined;
};

export type AgesInput = {
  min?: number | null | undefined;
  max?: number | null | undefined;
};

export type VideoAttachmentInput = {
  /** By default, the server derives the id from type and link. */
  id?: string | null | undefined;
  type: AttachmentType;
  description?: string | null | undefined;
  link: string;
};

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { viewer: { client: string, account: string | null, accountName: string | null, user: string | null, userName: string | null, staffRole: StaffRole | null, permissions: Array<Permission> } };

export type PlaysQueryVariables = Exact<{
  from: string;
  to: string;
  filter?: UsageFilter | null | undefined;
}>;


export type PlaysQuery = { usage: { asOf: string | null, total: { plays: number, seconds: number, users: number, videos: number }, rows: Array<{ from: string, plays: number, seconds: number }> } };

export type TopVideosQueryVariables = Exact<{
  from: string;
  to: string;
  filter?: UsageFilter | null | undefined;
}>;


export type TopVideosQuery = { usage: { rows: Array<{ video: string | null, videoTitle: string | null, plays: number, seconds: number }> } };

export type EmptySearchesQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type EmptySearchesQuery = { searchReport: Array<{ text: string, searches: number, withoutResults: number }> };

export type CatalogueChangesQueryVariables = Exact<{
  kind?: CatalogueKind | null | undefined;
  id?: string | null | undefined;
  first: number;
  before?: string | null | undefined;
}>;


export type CatalogueChangesQuery = { catalogueAuditLog: { nodes: Array<{ number: number, at: string, client: string, user: string | null, userName: string | null, kind: CatalogueKind, id: string | null, before: unknown, after: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RecordChangesQueryVariables = Exact<{
  kind?: RecordKind | null | undefined;
  id?: string | null | undefined;
  account?: string | null | undefined;
  first: number;
  before?: string | null | undefined;
}>;


export type RecordChangesQuery = { auditLog: { nodes: Array<{ number: number, at: string, client: string, user: string | null, userName: string | null, kind: RecordKind, id: string, account: string | null, before: unknown, after: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type VideosQueryVariables = Exact<{
  text?: string | null | undefined;
  filter?: VideoFilter | null | undefined;
  sortBy: VideoOrder;
  page: number;
  size: number;
}>;


export type VideosQuery = { searchVideos: { total: number, totalPages: number, videos: Array<{ id: string, title: string, createdBy: string, type: VideoType, releasedOn: string, updatedAt: string, playback: { duration: string, thumbnail: string | null }, subjects: Array<{ name: string }> }>, facets: { subjects: Array<{ id: string | null, name: string | null, hits: number }>, channels: Array<{ id: string | null, name: string | null, hits: number }>, videoTypes: Array<{ key: string, name: string | null, hits: number }> } } };

export type FoundVideosQueryVariables = Exact<{
  text?: string | null | undefined;
  filter?: VideoFilter | null | undefined;
  page: number;
  size: number;
}>;


export type FoundVideosQuery = { searchVideos: { totalPages: number, videos: Array<{ id: string }> } };

export type RemovedVideosQueryVariables = Exact<{
  text?: string | null | undefined;
  removed: RemovalReason;
  after?: string | null | undefined;
}>;


export type RemovedVideosQuery = { catalogueItems: { nodes: Array<{ id: string, updatedAt: string, body: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ItemQueryVariables = Exact<{
  kind: CatalogueKind;
  id: string;
}>;


export type ItemQuery = { catalogueItem: { id: string, version: number, updatedAt: string, source: string, reference: string, body: unknown, held: Array<{ field: string, imported: unknown }> } | null };

export type NamedQueryVariables = Exact<{
  kind: CatalogueKind;
  text?: string | null | undefined;
  first: number;
}>;


export type NamedQuery = { catalogueItems: { total: number | null, nodes: Array<{ id: string, body: unknown }> } };

export type UpdateVideoMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: VideoInput;
}>;


export type UpdateVideoMutation = { updateVideo: { id: string, version: number } };

export type RetireVideoMutationVariables = Exact<{
  id: string;
}>;


export type RetireVideoMutation = { retireVideo: { id: string } };

export type RestoreVideoMutationVariables = Exact<{
  id: string;
}>;


export type RestoreVideoMutation = { restoreVideo: { id: string } };

export type RevertItemMutationVariables = Exact<{
  kind: CatalogueKind;
  id: string;
  number: number;
}>;


export type RevertItemMutation = { revertItem: { id: string } };

export type ReleaseFieldMutationVariables = Exact<{
  kind: CatalogueKind;
  id: string;
  fields?: Array<string> | string | null | undefined;
  value: ReleasedValue;
}>;


export type ReleaseFieldMutation = { releaseFields: { id: string } };

export type ExplainQueryVariables = Exact<{
  query: string;
  filter?: VideoFilter | null | undefined;
  video?: string | null | undefined;
}>;


export type ExplainQuery = { explainSearch: { total: number, words: Array<{ word: string, videos: number }>, video: { place: number | null, missing: Array<MissingReason>, excludedBy: Array<string>, words: Array<{ word: string, texts: Array<VideoText> }> } | null } };

export type CreateSynonymMutationVariables = Exact<{
  input: SynonymInput;
}>;


export type CreateSynonymMutation = { createSynonym: { id: string } };

export type DeleteSynonymMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSynonymMutation = { deleteSynonym: string };

export type AccountsQueryVariables = Exact<{
  text?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type AccountsQuery = { accounts: { nodes: Array<{ id: string, name: string, operator: boolean, tier: string | null, status: AccountStatus, type: AccountType, contentPackage: string | null, accessExpiresOn: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AccountQueryVariables = Exact<{
  id: string;
}>;


export type AccountQuery = { account: { id: string, version: number, name: string, operator: boolean, tier: string | null, status: AccountStatus, type: AccountType, environment: Environment, contentPackage: string | null, accessExpiresOn: string | null, requestsPerMinute: number | null, requestsPerMonth: number | null, createdAt: string, updatedAt: string } | null, clients: { nodes: Array<{ id: string, version: number, name: string, public: boolean, disabled: boolean, staffRole: StaffRole | null, secrets: Array<{ id: string, createdAt: string, expiresAt: string | null }> }> } };

export type TermsQueryVariables = Exact<{ [key: string]: never; }>;


export type TermsQuery = { tiers: { nodes: Array<{ id: string, name: string }> }, contentPackages: { nodes: Array<{ id: string, name: string }> } };

export type SubjectsQueryVariables = Exact<{ [key: string]: never; }>;


export type SubjectsQuery = { subjects: Array<{ id: string, name: string }> };

export type CreatePackageMutationVariables = Exact<{
  input: CreateContentPackageInput;
}>;


export type CreatePackageMutation = { createContentPackage: { id: string } };

export type CreateAccountMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type CreateAccountMutation = { createAccount: { id: string } };

export type UpdateAccountMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { id: string, version: number } };

export type CreateClientMutationVariables = Exact<{
  input: CreateClientInput;
}>;


export type CreateClientMutation = { createClient: { secret: string | null, client: { id: string } } };

export type AddSecretMutationVariables = Exact<{
  client: string;
}>;


export type AddSecretMutation = { addClientSecret: { secret: string | null, client: { id: string } } };

export type UpdateClientMutationVariables = Exact<{
  id: string;
  input: UpdateClientInput;
}>;


export type UpdateClientMutation = { updateClient: { id: string, disabled: boolean } };

export type UsersQueryVariables = Exact<{
  text?: string | null | undefined;
  account?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type UsersQuery = { users: { nodes: Array<{ id: string, account: string, username: string | null, externalId: string | null, email: string | null, givenName: string | null, familyName: string | null, disabled: boolean }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type UserQueryVariables = Exact<{
  id: string;
}>;


export type UserQuery = { user: { id: string, version: number, account: string, username: string | null, externalId: string | null, email: string | null, emailVerified: boolean, givenName: string | null, familyName: string | null, hasPassword: boolean, issuer: string | null, subject: string | null, disabled: boolean, createdAt: string, updatedAt: string, secondFactor: { createdAt: string } | null, sessions: Array<{ startedAt: string, expiresAt: string, provider: string | null, clients: Array<string>, lastUsedAt: string | null }> } | null };

export type EndUserSessionsMutationVariables = Exact<{
  user: string;
}>;


export type EndUserSessionsMutation = { endUserSessions: { id: string } };

export type CreateUserMutationVariables = Exact<{
  input: CreateUserInput;
}>;


export type CreateUserMutation = { createUser: { id: string } };

export type DeleteUserMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUserMutation = { deleteUser: string };

export type SetUserPasswordMutationVariables = Exact<{
  id: string;
  password?: string | null | undefined;
}>;


export type SetUserPasswordMutation = { setUserPassword: { id: string } };

export type UpdateUserMutationVariables = Exact<{
  id: string;
  input: UpdateUserInput;
}>;


export type UpdateUserMutation = { updateUser: { id: string, disabled: boolean } };

export type UsageByAccountQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type UsageByAccountQuery = { usage: { asOf: string | null, total: { plays: number, seconds: number, users: number }, rows: Array<{ account: string | null, accountName: string | null, plays: number, seconds: number, users: number }> } };

export type UsageByQueryVariables = Exact<{
  from: string;
  to: string;
  filter?: UsageFilter | null | undefined;
  by: Array<UsageDimension> | UsageDimension;
}>;


export type UsageByQuery = { usage: { asOf: string | null, count: number, rows: Array<{ account: string | null, accountName: string | null, client: string | null, clientName: string | null, user: string | null, externalUser: string | null, video: string | null, videoTitle: string | null, channel: string | null, channelName: string | null, subject: string | null, subjectName: string | null, plays: number, seconds: number, users: number }> } };

export type StatementsQueryVariables = Exact<{
  account: string;
  month: string;
}>;


export type StatementsQuery = { statement: { month: string, plays: number, seconds: number, sealedAt: string | null, checksum: string, lines: Array<{ month: string, client: string, billable: boolean, adjustment: boolean, plays: number, seconds: number, void: string }> } };

export type VoidsQueryVariables = Exact<{
  before?: string | null | undefined;
}>;


export type VoidsQuery = { voids: { nodes: Array<{ id: string, plays: number, made: { at: string, reason: string }, undone: { at: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type VoidPreviewQueryVariables = Exact<{
  selection: VoidSelection;
}>;


export type VoidPreviewQuery = { voidPreview: Array<{ account: string, month: string, client: string, billable: boolean, sealed: string | null, plays: number, seconds: number }> };

export type VoidPlaysMutationVariables = Exact<{
  selection: VoidSelection;
  reason: string;
}>;


export type VoidPlaysMutation = { voidPlays: { id: string } };

export type UndoVoidMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type UndoVoidMutation = { undoVoid: { id: string } };

export type SealsQueryVariables = Exact<{ [key: string]: never; }>;


export type SealsQuery = { sealDigests: Array<{ number: number, month: string, sealedAt: string, digest: string }> };

export type SealMonthMutationVariables = Exact<{
  month: string;
}>;


export type SealMonthMutation = { sealMonth: Array<{ account: string }> };

export type StaffQueryVariables = Exact<{ [key: string]: never; }>;


export type StaffQuery = { staff: Array<{ id: string, role: StaffRole, version: number, account: string, username: string | null, givenName: string | null, familyName: string | null, email: string | null, secondFactor: { createdAt: string } | null }>, tokenPolicy: { requireStaffSecondFactor: boolean } };

export type SetStaffRoleMutationVariables = Exact<{
  user: string;
  role?: StaffRole | null | undefined;
}>;


export type SetStaffRoleMutation = { setStaffRole: { id: string, role: StaffRole } | null };

export type SetStaffPolicyMutationVariables = Exact<{
  requireSecondFactor: boolean;
}>;


export type SetStaffPolicyMutation = { setStaffPolicy: { version: number } };

export type RemoveUserSecondFactorMutationVariables = Exact<{
  user: string;
}>;


export type RemoveUserSecondFactorMutation = { removeUserSecondFactor: { id: string } };

export type MySecondFactorQueryVariables = Exact<{ [key: string]: never; }>;


export type MySecondFactorQuery = { viewer: { secondFactor: { createdAt: string, recoveryCodes: number } | null } };

export type BeginSecondFactorEnrollmentMutationVariables = Exact<{ [key: string]: never; }>;


export type BeginSecondFactorEnrollmentMutation = { beginSecondFactorEnrollment: { secret: string, uri: string, qrCode: string } };

export type EnrollSecondFactorMutationVariables = Exact<{
  secret: string;
  code: string;
}>;


export type EnrollSecondFactorMutation = { enrollSecondFactor: Array<string> };

export type RenewRecoveryCodesMutationVariables = Exact<{
  code: string;
}>;


export type RenewRecoveryCodesMutation = { renewRecoveryCodes: Array<string> };

export type RemoveSecondFactorMutationVariables = Exact<{
  code: string;
}>;


export type RemoveSecondFactorMutation = { removeSecondFactor: boolean };

export type SystemQueryVariables = Exact<{ [key: string]: never; }>;


export type SystemQuery = { system: { version: string, status: SystemStatus, videos: number, parts: Array<{ name: string, engine: string | null, status: SystemStatus, detail: string | null, remedy: string | null, lag: number | null }>, signingKeys: Array<{ id: string, createdAt: string }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const MeDocument = new TypedDocumentString(`
    query Me {
  viewer {
    client
    account
    accountName
    user
    userName
    staffRole
    permissions
  }
}
    `) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;
export const PlaysDocument = new TypedDocumentString(`
    query Plays($from: DateTime!, $to: DateTime!, $filter: UsageFilter) {
  usage(from: $from, to: $to, filter: $filter, interval: DAY, first: 1000) {
    asOf
    total {
      plays
      seconds
      users
      videos
    }
    rows {
      from
      plays
      seconds
    }
  }
}
    `) as unknown as TypedDocumentString<PlaysQuery, PlaysQueryVariables>;
export const TopVideosDocument = new TypedDocumentString(`
    query TopVideos($from: DateTime!, $to: DateTime!, $filter: UsageFilter) {
  usage(
    from: $from
    to: $to
    filter: $filter
    by: [VIDEO]
    orderBy: PLAYS
    first: 10
  ) {
    rows {
      video
      videoTitle
      plays
      seconds
    }
  }
}
    `) as unknown as TypedDocumentString<TopVideosQuery, TopVideosQueryVariables>;
export const EmptySearchesDocument = new TypedDocumentString(`
    query EmptySearches($from: Date!, $to: Date!) {
  searchReport(
    from: $from
    to: $to
    filter: {atMost: 0}
    orderBy: WITHOUT_RESULTS
    first: 10
  ) {
    text
    searches
    withoutResults
  }
}
    `) as unknown as TypedDocumentString<EmptySearchesQuery, EmptySearchesQueryVariables>;
export const CatalogueChangesDocument = new TypedDocumentString(`
    query CatalogueChanges($kind: CatalogueKind, $id: ID, $first: Int!, $before: String) {
  catalogueAuditLog(kind: $kind, id: $id, first: $first, before: $before) {
    nodes {
      number
      at
      client
      user
      userName
      kind
      id
      before
      after
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<CatalogueChangesQuery, CatalogueChangesQueryVariables>;
export const RecordChangesDocument = new TypedDocumentString(`
    query RecordChanges($kind: RecordKind, $id: String, $account: String, $first: Int!, $before: String) {
  auditLog(
    kind: $kind
    id: $id
    account: $account
    first: $first
    before: $before
  ) {
    nodes {
      number
      at
      client
      user
      userName
      kind
      id
      account
      before
      after
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RecordChangesQuery, RecordChangesQueryVariables>;
export const VideosDocument = new TypedDocumentString(`
    query Videos($text: String, $filter: VideoFilter, $sortBy: VideoOrder!, $page: Int!, $size: Int!) {
  searchVideos(
    query: $text
    filter: $filter
    sortBy: $sortBy
    page: $page
    size: $size
    facets: {channels: true}
  ) {
    total
    totalPages
    videos {
      id
      title
      createdBy
      type
      releasedOn
      updatedAt
      playback {
        duration
        thumbnail(width: 160)
      }
      subjects {
        name
      }
    }
    facets {
      subjects {
        id
        name
        hits
      }
      channels {
        id
        name
        hits
      }
      videoTypes {
        key
        name
        hits
      }
    }
  }
}
    `) as unknown as TypedDocumentString<VideosQuery, VideosQueryVariables>;
export const FoundVideosDocument = new TypedDocumentString(`
    query FoundVideos($text: String, $filter: VideoFilter, $page: Int!, $size: Int!) {
  searchVideos(
    query: $text
    filter: $filter
    sortBy: RELEASE_DATE
    page: $page
    size: $size
  ) {
    totalPages
    videos {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<FoundVideosQuery, FoundVideosQueryVariables>;
export const RemovedVideosDocument = new TypedDocumentString(`
    query RemovedVideos($text: String, $removed: RemovalReason!, $after: String) {
  catalogueItems(
    kind: VIDEO
    text: $text
    removed: $removed
    first: 50
    after: $after
  ) {
    nodes {
      id
      updatedAt
      body
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RemovedVideosQuery, RemovedVideosQueryVariables>;
export const ItemDocument = new TypedDocumentString(`
    query Item($kind: CatalogueKind!, $id: ID!) {
  catalogueItem(kind: $kind, id: $id) {
    id
    version
    updatedAt
    source
    reference
    body
    held {
      field
      imported
    }
  }
}
    `) as unknown as TypedDocumentString<ItemQuery, ItemQueryVariables>;
export const NamedDocument = new TypedDocumentString(`
    query Named($kind: CatalogueKind!, $text: String, $first: Int!) {
  catalogueItems(kind: $kind, text: $text, first: $first) {
    total
    nodes {
      id
      body
    }
  }
}
    `) as unknown as TypedDocumentString<NamedQuery, NamedQueryVariables>;
export const UpdateVideoDocument = new TypedDocumentString(`
    mutation UpdateVideo($id: ID!, $version: Int, $input: VideoInput!) {
  updateVideo(id: $id, version: $version, input: $input) {
    id
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateVideoMutation, UpdateVideoMutationVariables>;
export const RetireVideoDocument = new TypedDocumentString(`
    mutation RetireVideo($id: ID!) {
  retireVideo(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RetireVideoMutation, RetireVideoMutationVariables>;
export const RestoreVideoDocument = new TypedDocumentString(`
    mutation RestoreVideo($id: ID!) {
  restoreVideo(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RestoreVideoMutation, RestoreVideoMutationVariables>;
export const RevertItemDocument = new TypedDocumentString(`
    mutation RevertItem($kind: CatalogueKind!, $id: ID!, $number: Int!) {
  revertItem(kind: $kind, id: $id, number: $number) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevertItemMutation, RevertItemMutationVariables>;
export const ReleaseFieldDocument = new TypedDocumentString(`
    mutation ReleaseField($kind: CatalogueKind!, $id: ID!, $fields: [String!], $value: ReleasedValue!) {
  releaseFields(kind: $kind, id: $id, fields: $fields, value: $value) {
    id
  }
}
    `) as unknown as TypedDocumentString<ReleaseFieldMutation, ReleaseFieldMutationVariables>;
export const ExplainDocument = new TypedDocumentString(`
    query Explain($query: String!, $filter: VideoFilter, $video: ID) {
  explainSearch(query: $query, filter: $filter, video: $video) {
    total
    words {
      word
      videos
    }
    video {
      place
      missing
      excludedBy
      words {
        word
        texts
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ExplainQuery, ExplainQueryVariables>;
export const CreateSynonymDocument = new TypedDocumentString(`
    mutation CreateSynonym($input: SynonymInput!) {
  createSynonym(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateSynonymMutation, CreateSynonymMutationVariables>;
export const DeleteSynonymDocument = new TypedDocumentString(`
    mutation DeleteSynonym($id: ID!) {
  deleteSynonym(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteSynonymMutation, DeleteSynonymMutationVariables>;
export const AccountsDocument = new TypedDocumentString(`
    query Accounts($text: String, $after: String) {
  accounts(text: $text, first: 50, after: $after) {
    nodes {
      id
      name
      operator
      tier
      status
      type
      contentPackage
      accessExpiresOn
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const AccountDocument = new TypedDocumentString(`
    query Account($id: String!) {
  account(id: $id) {
    id
    version
    name
    operator
    tier
    status
    type
    environment
    contentPackage
    accessExpiresOn
    requestsPerMinute
    requestsPerMonth
    createdAt
    updatedAt
  }
  clients(account: $id, first: 200) {
    nodes {
      id
      version
      name
      public
      disabled
      staffRole
      secrets {
        id
        createdAt
        expiresAt
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccountQuery, AccountQueryVariables>;
export const TermsDocument = new TypedDocumentString(`
    query Terms {
  tiers(first: 200) {
    nodes {
      id
      name
    }
  }
  contentPackages(first: 200) {
    nodes {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<TermsQuery, TermsQueryVariables>;
export const SubjectsDocument = new TypedDocumentString(`
    query Subjects {
  subjects(visibility: ALL) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<SubjectsQuery, SubjectsQueryVariables>;
export const CreatePackageDocument = new TypedDocumentString(`
    mutation CreatePackage($input: CreateContentPackageInput!) {
  createContentPackage(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreatePackageMutation, CreatePackageMutationVariables>;
export const CreateAccountDocument = new TypedDocumentString(`
    mutation CreateAccount($input: CreateAccountInput!) {
  createAccount(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateAccountMutation, CreateAccountMutationVariables>;
export const UpdateAccountDocument = new TypedDocumentString(`
    mutation UpdateAccount($id: String!, $version: Int, $input: UpdateAccountInput!) {
  updateAccount(id: $id, version: $version, input: $input) {
    id
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateAccountMutation, UpdateAccountMutationVariables>;
export const CreateClientDocument = new TypedDocumentString(`
    mutation CreateClient($input: CreateClientInput!) {
  createClient(input: $input) {
    client {
      id
    }
    secret
  }
}
    `) as unknown as TypedDocumentString<CreateClientMutation, CreateClientMutationVariables>;
export const AddSecretDocument = new TypedDocumentString(`
    mutation AddSecret($client: String!) {
  addClientSecret(client: $client) {
    client {
      id
    }
    secret
  }
}
    `) as unknown as TypedDocumentString<AddSecretMutation, AddSecretMutationVariables>;
export const UpdateClientDocument = new TypedDocumentString(`
    mutation UpdateClient($id: String!, $input: UpdateClientInput!) {
  updateClient(id: $id, input: $input) {
    id
    disabled
  }
}
    `) as unknown as TypedDocumentString<UpdateClientMutation, UpdateClientMutationVariables>;
export const UsersDocument = new TypedDocumentString(`
    query Users($text: String, $account: String, $after: String) {
  users(text: $text, account: $account, first: 50, after: $after) {
    nodes {
      id
      account
      username
      externalId
      email
      givenName
      familyName
      disabled
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<UsersQuery, UsersQueryVariables>;
export const UserDocument = new TypedDocumentString(`
    query User($id: String!) {
  user(id: $id) {
    id
    version
    account
    username
    externalId
    email
    emailVerified
    givenName
    familyName
    hasPassword
    issuer
    subject
    disabled
    createdAt
    updatedAt
    secondFactor {
      createdAt
    }
    sessions {
      startedAt
      expiresAt
      provider
      clients
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<UserQuery, UserQueryVariables>;
export const EndUserSessionsDocument = new TypedDocumentString(`
    mutation EndUserSessions($user: ID!) {
  endUserSessions(user: $user) {
    id
  }
}
    `) as unknown as TypedDocumentString<EndUserSessionsMutation, EndUserSessionsMutationVariables>;
export const CreateUserDocument = new TypedDocumentString(`
    mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateUserMutation, CreateUserMutationVariables>;
export const DeleteUserDocument = new TypedDocumentString(`
    mutation DeleteUser($id: String!) {
  deleteUser(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteUserMutation, DeleteUserMutationVariables>;
export const SetUserPasswordDocument = new TypedDocumentString(`
    mutation SetUserPassword($id: String!, $password: String) {
  setUserPassword(id: $id, password: $password) {
    id
  }
}
    `) as unknown as TypedDocumentString<SetUserPasswordMutation, SetUserPasswordMutationVariables>;
export const UpdateUserDocument = new TypedDocumentString(`
    mutation UpdateUser($id: String!, $input: UpdateUserInput!) {
  updateUser(id: $id, input: $input) {
    id
    disabled
  }
}
    `) as unknown as TypedDocumentString<UpdateUserMutation, UpdateUserMutationVariables>;
export const UsageByAccountDocument = new TypedDocumentString(`
    query UsageByAccount($from: DateTime!, $to: DateTime!) {
  usage(from: $from, to: $to, by: [ACCOUNT], orderBy: SECONDS, first: 1000) {
    asOf
    total {
      plays
      seconds
      users
    }
    rows {
      account
      accountName
      plays
      seconds
      users
    }
  }
}
    `) as unknown as TypedDocumentString<UsageByAccountQuery, UsageByAccountQueryVariables>;
export const UsageByDocument = new TypedDocumentString(`
    query UsageBy($from: DateTime!, $to: DateTime!, $filter: UsageFilter, $by: [UsageDimension!]!) {
  usage(
    from: $from
    to: $to
    filter: $filter
    by: $by
    orderBy: PLAYS
    first: 100
  ) {
    asOf
    count
    rows {
      account
      accountName
      client
      clientName
      user
      externalUser
      video
      videoTitle
      channel
      channelName
      subject
      subjectName
      plays
      seconds
      users
    }
  }
}
    `) as unknown as TypedDocumentString<UsageByQuery, UsageByQueryVariables>;
export const StatementsDocument = new TypedDocumentString(`
    query Statements($account: String!, $month: Month!) {
  statement(account: $account, month: $month) {
    month
    plays
    seconds
    sealedAt
    checksum
    lines {
      month
      client
      billable
      adjustment
      plays
      seconds
      void
    }
  }
}
    `) as unknown as TypedDocumentString<StatementsQuery, StatementsQueryVariables>;
export const VoidsDocument = new TypedDocumentString(`
    query Voids($before: String) {
  voids(first: 50, before: $before) {
    nodes {
      id
      plays
      made {
        at
        reason
      }
      undone {
        at
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<VoidsQuery, VoidsQueryVariables>;
export const VoidPreviewDocument = new TypedDocumentString(`
    query VoidPreview($selection: VoidSelection!) {
  voidPreview(selection: $selection) {
    account
    month
    client
    billable
    sealed
    plays
    seconds
  }
}
    `) as unknown as TypedDocumentString<VoidPreviewQuery, VoidPreviewQueryVariables>;
export const VoidPlaysDocument = new TypedDocumentString(`
    mutation VoidPlays($selection: VoidSelection!, $reason: String!) {
  voidPlays(selection: $selection, reason: $reason) {
    id
  }
}
    `) as unknown as TypedDocumentString<VoidPlaysMutation, VoidPlaysMutationVariables>;
export const UndoVoidDocument = new TypedDocumentString(`
    mutation UndoVoid($id: String!, $reason: String!) {
  undoVoid(id: $id, reason: $reason) {
    id
  }
}
    `) as unknown as TypedDocumentString<UndoVoidMutation, UndoVoidMutationVariables>;
export const SealsDocument = new TypedDocumentString(`
    query Seals {
  sealDigests {
    number
    month
    sealedAt
    digest
  }
}
    `) as unknown as TypedDocumentString<SealsQuery, SealsQueryVariables>;
export const SealMonthDocument = new TypedDocumentString(`
    mutation SealMonth($month: Month!) {
  sealMonth(month: $month) {
    account
  }
}
    `) as unknown as TypedDocumentString<SealMonthMutation, SealMonthMutationVariables>;
export const StaffDocument = new TypedDocumentString(`
    query Staff {
  staff {
    id
    role
    version
    account
    username
    givenName
    familyName
    email
    secondFactor {
      createdAt
    }
  }
  tokenPolicy {
    requireStaffSecondFactor
  }
}
    `) as unknown as TypedDocumentString<StaffQuery, StaffQueryVariables>;
export const SetStaffRoleDocument = new TypedDocumentString(`
    mutation SetStaffRole($user: ID!, $role: StaffRole) {
  setStaffRole(user: $user, role: $role) {
    id
    role
  }
}
    `) as unknown as TypedDocumentString<SetStaffRoleMutation, SetStaffRoleMutationVariables>;
export const SetStaffPolicyDocument = new TypedDocumentString(`
    mutation SetStaffPolicy($requireSecondFactor: Boolean!) {
  setStaffPolicy(requireSecondFactor: $requireSecondFactor) {
    version
  }
}
    `) as unknown as TypedDocumentString<SetStaffPolicyMutation, SetStaffPolicyMutationVariables>;
export const RemoveUserSecondFactorDocument = new TypedDocumentString(`
    mutation RemoveUserSecondFactor($user: ID!) {
  removeUserSecondFactor(user: $user) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveUserSecondFactorMutation, RemoveUserSecondFactorMutationVariables>;
export const MySecondFactorDocument = new TypedDocumentString(`
    query MySecondFactor {
  viewer {
    secondFactor {
      createdAt
      recoveryCodes
    }
  }
}
    `) as unknown as TypedDocumentString<MySecondFactorQuery, MySecondFactorQueryVariables>;
export const BeginSecondFactorEnrollmentDocument = new TypedDocumentString(`
    mutation BeginSecondFactorEnrollment {
  beginSecondFactorEnrollment {
    secret
    uri
    qrCode
  }
}
    `) as unknown as TypedDocumentString<BeginSecondFactorEnrollmentMutation, BeginSecondFactorEnrollmentMutationVariables>;
export const EnrollSecondFactorDocument = new TypedDocumentString(`
    mutation EnrollSecondFactor($secret: String!, $code: String!) {
  enrollSecondFactor(secret: $secret, code: $code)
}
    `) as unknown as TypedDocumentString<EnrollSecondFactorMutation, EnrollSecondFactorMutationVariables>;
export const RenewRecoveryCodesDocument = new TypedDocumentString(`
    mutation RenewRecoveryCodes($code: String!) {
  renewRecoveryCodes(code: $code)
}
    `) as unknown as TypedDocumentString<RenewRecoveryCodesMutation, RenewRecoveryCodesMutationVariables>;
export const RemoveSecondFactorDocument = new TypedDocumentString(`
    mutation RemoveSecondFactor($code: String!) {
  removeSecondFactor(code: $code)
}
    `) as unknown as TypedDocumentString<RemoveSecondFactorMutation, RemoveSecondFactorMutationVariables>;
export const SystemDocument = new TypedDocumentString(`
    query System {
  system {
    version
    status
    videos
    parts {
      name
      engine
      status
      detail
      remedy
      lag
    }
    signingKeys {
      id
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<SystemQuery, SystemQueryVariables>;