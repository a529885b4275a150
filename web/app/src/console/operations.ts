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
  /** Grants access to the statements and invoices of all accounts, to voids, price plans and royalties. */
  | 'VIEW_BILLING'
  /** Grants sealing of months, voiding of plays, and changes of price plans, invoices and royalties. */
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
  /** Reads accounts, seals statements, voids plays, and changes price plans, invoices and royalties. */
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

export type MarketSegment =
  | 'K12'
  | 'HIGHER_EDUCATION';

export type IngestType =
  | 'MANUAL'
  | 'CUSTOM'
  | 'MRSS'
  | 'YOUTUBE';

export type DistributionMethod =
  | 'STREAM'
  | 'DOWNLOAD';

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
  | 'WORDS'
  /** The account may not search: it is suspended, its access has ended, or its tier lacks VIEW_VIDEOS; or the content package does not exist. */
  | 'NO_ACCESS';

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
  pricePlan?: string | null | undefined;
  billingAddress?: string | null | undefined;
  billingEmail?: string | null | undefined;
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
  /** The same as in CreateAccountInput; null removes the logo. */
  logo?: string | null | undefined;
  /** Replaces the whole list. The users may have been deleted. */
  embedsTakenOver?: Array<string> | null | undefined;
  requestsPerMinute?: number | null | undefined;
  requestsPerMonth?: number | null | undefined;
  pricePlan?: string | null | undefined;
  billingAddress?: string | null | undefined;
  billingEmail?: string | null | undefined;
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

export type TierInput = {
  id: string;
  name: string;
  roles: Array<Permission>;
  features?: Array<FeatureInput> | null | undefined;
};

export type FeatureInput = {
  name: string;
  enabled: boolean;
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

export type UpdateContentPackageInput = {
  name?: string | null | undefined;
  /** Replaces the whole list. */
  rules?: Array<AccessRuleInput> | null | undefined;
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
  | 'secondFactor'
  | 'importMapping'
  | 'pricePlan'
  | 'invoice'
  | 'invoiceNumbers'
  | 'royaltyTerms';

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

/** A unit of usage for which a price plan charges. */
export type PriceUnit =
  /** A minute of billed time. Seconds are charged as sixtieths. */
  | 'MINUTE'
  /** A play: a playback event whose segment has a length. */
  | 'PLAY'
  /** A known person with at least one play in the month. */
  | 'ACTIVE_USER';

export type PricePlanInput = {
  id: string;
  name: string;
  currency: string;
  monthlyFee?: string;
  minimum?: string;
  components?: Array<PriceComponentInput>;
};

export type PriceComponentInput = {
  unit: PriceUnit;
  allowance?: number;
  steps: Array<PriceStepInput>;
};

export type PriceStepInput = {
  upTo?: number | null | undefined;
  price: string;
};

export type InvoiceState =
  /** The invoice has no number and may be drafted again. */
  | 'DRAFT'
  /** The invoice has a number and never changes. */
  | 'ISSUED';

export type InvoiceWarning =
  /** The total is not above 0. */
  | 'NOTHING_TO_PAY'
  /** The total differs by more than half from that of the month before. */
  | 'LARGE_CHANGE'
  /** The customer has no billing address. */
  | 'NO_ADDRESS';

export type InvoiceLineKind =
  /** The monthly fee. */
  | 'FEE'
  /** Units that are free. */
  | 'ALLOWANCE'
  /** Units in one step. */
  | 'USAGE'
  /** The change of an earlier month by late plays and voids. The steps and the allowance of that month apply. */
  | 'ADJUSTMENT'
  /** The amount by which the fee and the usage of the month fall short of the minimum. */
  | 'MINIMUM';

/** The basis on which a channel receives royalties. */
export type RoyaltyBasis =
  /** A percentage of the totals of invoices, split by the time that the channel has in the account's month. */
  | 'SHARE'
  /** A price for each minute that accounts with an invoice played. */
  | 'RATE';

export type RoyaltyTermsInput = {
  basis: RoyaltyBasis;
  percent?: string | null | undefined;
  price?: string | null | undefined;
  currency?: string | null | undefined;
};

export type CollectionPermission =
  | 'VIEW_ONLY'
  | 'EDIT';

export type CollectionOrder =
  /** Collections are ordered by title, A first, in the order of names. */
  | 'TITLE'
  /** Collections are ordered by updatedAt, newest first. */
  | 'UPDATED_AT'
  /** The default collection comes first. */
  | 'IS_DEFAULT'
  /** Collections with attachments come first. */
  | 'HAS_ATTACHMENT';

/** Results match every field that is given; any value of a list is enough. An empty list matches nothing. */
export type CollectionFilter = {
  /** A phrase of the title or the description. A query without a letter, a digit or an emoji has no effect. */
  query?: string | null | undefined;
  /** If true, the query matches any part of the title, also inside a word. */
  partialTitleMatch?: boolean;
  subjects?: Array<string> | null | undefined;
  /** Keeps collections with this value. With VIEW_ANY_COLLECTION, discoverable or owner extends the search to all accounts. */
  discoverable?: boolean | null | undefined;
  promoted?: boolean | null | undefined;
  promotedFor?: Array<Product> | null | undefined;
  /** If true, keeps only collections that the token's user saved. */
  saved?: boolean | null | undefined;
  /** The id of a user. The error is FORBIDDEN if owner is not the caller's own user and the caller lacks VIEW_ANY_COLLECTION. */
  owner?: string | null | undefined;
  /** If true, the search ignores discoverable and includes private collections of others. The error is FORBIDDEN if the caller lacks VIEW_ANY_COLLECTION. */
  ignoreDiscoverable?: boolean;
  resourceTypes?: Array<AttachmentType> | null | undefined;
  ages?: Array<AgeBracket> | null | undefined;
  ageMin?: number | null | undefined;
  ageMax?: number | null | undefined;
};

export type CollectionInput = {
  title: string;
  description?: string | null | undefined;
  /** The ids of videos. The server leaves out unknown videos and videos that the caller may not see. */
  videos?: Array<string> | null | undefined;
  subjects?: Array<string> | null | undefined;
  discoverable?: boolean;
  /** The assets. The server leaves out assets whose video or highlight is unknown or not visible to the caller. */
  assets?: Array<CollectionAssetInput> | null | undefined;
};

export type CollectionAssetInput = {
  videoId: string;
  highlightId?: string | null | undefined;
  segment?: CollectionSegmentInput | null | undefined;
  note?: string | null | undefined;
};

/** A segment of a video. Its bounds are in seconds. */
export type CollectionSegmentInput = {
  start: number;
  end: number;
};

export type UpdateCollectionInput = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  /**
   * Replaces all assets. Assets that remain keep their comments. If assets is given too, videos come first. The server leaves
   * out unknown videos and videos that the caller may not see, unless the collection already contains them. If a content
   * package includes the collection, only the operator may add videos that the package does not show; for other callers, the
   * error is FORBIDDEN.
   */
  videos?: Array<string> | null | undefined;
  subjects?: Array<string> | null | undefined;
  discoverable?: boolean | null | undefined;
  /** Replaces all assets. Assets that remain keep their comments. The rules of videos for invisible videos apply. */
  assets?: Array<CollectionAssetInput> | null | undefined;
  /** Ages from 3 to 19. The range is ignored if min is missing. */
  ageRange?: AgeRangeInput | null | undefined;
  /** Replaces all attachments; null removes them. */
  attachment?: AttachmentInput | null | undefined;
  promoted?: boolean | null | undefined;
  promotedFor?: Array<Product> | null | undefined;
  subCollections?: Array<string> | null | undefined;
};

export type AgeRangeInput = {
  min?: number | null | undefined;
  max?: number | null | undefined;
};

export type AttachmentInput = {
  linkToResource: string;
  type: AttachmentType;
  description?: string | null | undefined;
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

export type ListedState =
  | 'ALL'
  /** Visible to every customer without a content package. */
  | 'LIVE'
  /** Retired. */
  | 'HIDDEN'
  /** In a private channel, and neither retired nor past its last day. */
  | 'PRIVATE'
  /** Past its last day, and not retired. */
  | 'EXPIRED'
  /** Without a subject, a description or a playback, and not retired. */
  | 'INCOMPLETE';

export type ListedOrder =
  /** The order of searchVideos without boosts; without a query, that of RELEASED. */
  | 'RELEVANCE'
  /** Newest releasedOn first. */
  | 'RELEASED'
  /** Newest updatedAt first. */
  | 'UPDATED'
  /** By the words of the title, A first. */
  | 'TITLE';

/** Keeps changes that match every field that is given. */
export type ChangeFilter = {
  /** The id of a user or a client. */
  actor?: string | null | undefined;
  /** The first moment, included. */
  from?: string | null | undefined;
  /** The last moment, excluded. */
  to?: string | null | undefined;
  /** Changes of catalogue records of this kind. With recordKind too, the list has both kinds. */
  catalogueKind?: CatalogueKind | null | undefined;
  /** Changes of records of this kind that operators administer. */
  recordKind?: RecordKind | null | undefined;
};

export type EducationLevelInput = {
  /** A Thema education qualifier. */
  code?: string | null | undefined;
  label?: string | null | undefined;
};

export type TagInput = {
  label?: string | null | undefined;
};

export type SubjectInput = {
  name?: string | null | undefined;
  categories?: Array<SubjectCategoryInput> | null | undefined;
  marketSegments?: Array<MarketSegment> | null | undefined;
};

export type SubjectCategoryInput = {
  code: string;
  description?: string | null | undefined;
};

export type DisciplineInput = {
  name?: string | null | undefined;
  code?: string | null | undefined;
  subjects?: Array<string> | null | undefined;
};

export type TopicInput = {
  name?: string | null | undefined;
};

/** A group of search terms with the same meaning: 2 to 50 variants of 1 to 8 words each. */
export type SynonymInput = {
  words?: Array<string> | null | undefined;
};

export type ChannelInput = {
  name?: string | null | undefined;
  description?: string | null | undefined;
  oneLineDescription?: string | null | undefined;
  notes?: string | null | undefined;
  contentType?: string | null | undefined;
  legalRestriction?: string | null | undefined;
  language?: string | null | undefined;
  contentCategories?: Array<VideoSubtype> | null | undefined;
  categories?: Array<string> | null | undefined;
  educationLevels?: Array<string> | null | undefined;
  ingestType?: IngestType | null | undefined;
  contract?: string | null | undefined;
  private?: boolean | null | undefined;
  /** An ISO 4217 code. */
  currency?: string | null | undefined;
  distributionMethods?: Array<DistributionMethod> | null | undefined;
  ageRange?: AgesInput | null | undefined;
  requiresVideoLevelTagging?: boolean | null | undefined;
  /** Addresses of the videos' source. They require an ingestType, as ingestPlaylistIds do. */
  ingestUrls?: Array<string> | null | undefined;
  ingestPlaylistIds?: Array<string> | null | undefined;
  marketingInformation?: ChannelMarketingInput | null | undefined;
  pedagogyInformation?: ChannelPedagogyInput | null | undefined;
};

/** Replaces all marketing information. */
export type ChannelMarketingInput = {
  status?: string | null | undefined;
  oneLineIntro?: string | null | undefined;
  logos?: Array<string> | null | undefined;
  showreel?: string | null | undefined;
  sampleVideos?: Array<string> | null | undefined;
};

/** Replaces all pedagogy information. */
export type ChannelPedagogyInput = {
  subjects?: Array<string> | null | undefined;
  /** Age ranges with at least one bound each. */
  ageRanges?: Array<AgesInput> | null | undefined;
  bestForTags?: Array<string> | null | undefined;
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

export type JobKind =
  /** Imports an upload. */
  | 'IMPORT'
  /** Changes many videos. */
  | 'CHANGE_VIDEOS'
  /** Undoes a CHANGE_VIDEOS. */
  | 'UNDO'
  | 'VERIFY_USAGE'
  | 'REINDEX'
  | 'BACKUP';

export type MaintenanceTask =
  /** Counts the event log again, and compares the result with all counts and statements. It changes nothing. */
  | 'VERIFY_USAGE'
  /** Builds the search index again from the store, while searches go on. If each server has an index of its own, only that of one server is built. */
  | 'REINDEX'
  /** Copies SQLite's files into a new folder below --backup-dir. */
  | 'BACKUP';

export type JobState =
  | 'WAITING'
  | 'RUNNING'
  | 'DONE'
  | 'FAILED'
  | 'CANCELLED';

export type ImportFormat =
  /** Values separated by commas, semicolons or tabs; the first line names the columns. */
  | 'CSV'
  /** Import lines. */
  | 'JSON_LINES';

export type MappingInput = {
  /** The kind of all lines, such as video. */
  kind: string;
  /** The source of all lines; null: default. */
  source?: string | null | undefined;
  /** Up to 100. */
  fields: Array<MappedFieldInput>;
};

export type MappedFieldInput = {
  /** The name of the field; that of a nested field is a path such as playback.duration. */
  field: string;
  column?: string | null | undefined;
  /** The value where the column is empty, and without a column. */
  constant?: string | null | undefined;
  /** The separator between the values of a list; null if the column holds a single value. */
  separator?: string | null | undefined;
};

export type ImportInput = {
  /** The id of a whole upload: the last part of its address. */
  upload: string;
  /** Null: the name or the content of the file decides. */
  format?: ImportFormat | null | undefined;
  /** Required for CSV, and refused otherwise. */
  mapping?: MappingInput | null | undefined;
  /** Report what the run would do, and write nothing. */
  dryRun?: boolean;
  /** Import everything, or nothing if any line is rejected. */
  strict?: boolean;
  /** Delete the items of the same sources and kinds that the file does not mention, unless a line is rejected. */
  prune?: boolean;
  /** Prune more than 10 items and 10 percent of a kind. */
  confirmPrune?: boolean;
};

/** Exactly one of the three. */
export type VideoSelectionInput = {
  /** Up to 10,000 ids. */
  ids?: Array<string> | null | undefined;
  /** The videos that listedVideos lists; at most 10,000. */
  list?: VideoListInput | null | undefined;
};

export type VideoListInput = {
  state?: ListedState;
  query?: string | null | undefined;
  filter?: VideoFilter | null | undefined;
};

/** At least one change. Subjects are taken away before others are given, and after set. */
export type VideoChangeInput = {
  addSubjects?: Array<string> | null | undefined;
  removeSubjects?: Array<string> | null | undefined;
  /** The same fields as for updateVideo; null clears a field. */
  set?: VideoInput | null | undefined;
  /** true hides the videos, false shows them again. */
  retired?: boolean | null | undefined;
};

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { viewer: { client: string, account: string | null, accountName: string | null, user: string | null, userName: string | null, staffRole: StaffRole | null, permissions: Array<Permission> } };

export type SetUpQueryVariables = Exact<{
  customers: boolean;
  staff: boolean;
  from: string;
  to: string;
}>;


export type SetUpQuery = { listedVideos: { total: number }, accounts?: { nodes: Array<{ operator: boolean }> }, clients?: { nodes: Array<{ id: string }> }, staff?: Array<{ id: string }>, usage: { total: { plays: number } } };

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

export type FindVideosQueryVariables = Exact<{
  text: string;
  size: number;
}>;


export type FindVideosQuery = { searchVideos: { videos: Array<{ id: string, title: string }> } };

export type NamedVideosQueryVariables = Exact<{
  ids: Array<string> | string;
}>;


export type NamedVideosQuery = { videosById: Array<{ id: string, title: string }> };

export type ListedVideosQueryVariables = Exact<{
  state: ListedState;
  text?: string | null | undefined;
  filter?: VideoFilter | null | undefined;
  sortBy: ListedOrder;
  page: number;
  size: number;
}>;


export type ListedVideosQuery = { listedVideos: { total: number, totalPages: number, videos: Array<{ hidden: boolean, private: boolean, expired: boolean, missing: Array<string>, video: { id: string, title: string, createdBy: string, type: VideoType, releasedOn: string, updatedAt: string, playback: { duration: string, thumbnail: string | null }, subjects: Array<{ name: string }> } }>, facets: { subjects: Array<{ id: string | null, name: string | null, hits: number }>, channels: Array<{ id: string | null, name: string | null, hits: number }>, videoTypes: Array<{ key: string, name: string | null, hits: number }>, educationLevels: Array<{ key: string, name: string | null, hits: number }>, languages: Array<{ key: string, name: string | null, hits: number }> } } };

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
  version?: number | null | undefined;
}>;


export type RetireVideoMutation = { retireVideo: { version: number } };

export type RestoreVideoMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
}>;


export type RestoreVideoMutation = { restoreVideo: { version: number } };

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

export type JobFieldsFragment = { id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null };

export type JobsQueryVariables = Exact<{
  kind?: JobKind | null | undefined;
  after?: string | null | undefined;
}>;


export type JobsQuery = { jobs: { nodes: Array<{ id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type JobQueryVariables = Exact<{
  id: string;
}>;


export type JobQuery = { job: { id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null } | null };

export type FindingsQueryVariables = Exact<{
  id: string;
}>;


export type FindingsQuery = { job: { import: { findings: { rejected: Array<{ line: number, reasons: Array<string> }>, differences: Array<{ line: number | null, kind: string | null, id: string | null, field: string | null, problem: string }>, held: Array<{ line: number | null, kind: string | null, id: string | null, field: string | null, problem: string }>, problems: Array<{ line: number | null, field: string | null, problem: string }> } | null } | null } | null };

export type PreviewQueryVariables = Exact<{
  upload: string;
  mapping?: MappingInput | null | undefined;
}>;


export type PreviewQuery = { previewImport: { format: ImportFormat, columns: Array<string>, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, fields: Array<{ name: string, required: boolean, list: boolean }>, lines: Array<{ line: number, record: unknown, problems: Array<string> }> } };

export type MappingsQueryVariables = Exact<{ [key: string]: never; }>;


export type MappingsQuery = { importMappings: Array<{ id: string, name: string, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } }> };

export type SaveMappingMutationVariables = Exact<{
  name: string;
  mapping: MappingInput;
}>;


export type SaveMappingMutation = { putImportMapping: { id: string } };

export type DeleteMappingMutationVariables = Exact<{
  id: string;
}>;


export type DeleteMappingMutation = { deleteImportMapping: string };

export type StartImportMutationVariables = Exact<{
  input: ImportInput;
}>;


export type StartImportMutation = { startImport: { id: string } };

export type ChangeVideosMutationVariables = Exact<{
  selection: VideoSelectionInput;
  change: VideoChangeInput;
}>;


export type ChangeVideosMutation = { startChangeOfVideos: { id: string } };

export type CancelJobMutationVariables = Exact<{
  id: string;
}>;


export type CancelJobMutation = { cancelJob: { id: string } };

export type UndoJobMutationVariables = Exact<{
  id: string;
}>;


export type UndoJobMutation = { undoJob: { id: string } };

export type ExplainQueryVariables = Exact<{
  query: string;
  video?: string | null | undefined;
  account?: string | null | undefined;
}>;


export type ExplainQuery = { explainSearch: { total: number, words: Array<{ word: string, videos: number }>, video: { place: number | null, missing: Array<MissingReason>, excludedBy: Array<string>, words: Array<{ word: string, texts: Array<VideoText> }> } | null } };

export type CreateSynonymMutationVariables = Exact<{
  input: SynonymInput;
}>;


export type CreateSynonymMutation = { createSynonym: { id: string, version: number } };

export type DeleteSynonymMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
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


export type AccountQuery = { account: { id: string, version: number, name: string, operator: boolean, tier: string | null, status: AccountStatus, type: AccountType, environment: Environment, contentPackage: string | null, accessExpiresOn: string | null, requestsPerMinute: number | null, requestsPerMonth: number | null, passwordSignIn: boolean, createdAt: string, updatedAt: string, pricePlan: string | null, billingAddress: string, billingEmail: string, identityProviders: Array<{ alias: string, name: string, issuer: string, clientId: string, hasClientSecret: boolean, scopes: Array<string> | null, domains: Array<string> }> } | null, clients: { nodes: Array<{ id: string, version: number, name: string, public: boolean, disabled: boolean, staffRole: StaffRole | null, secrets: Array<{ id: string, createdAt: string, expiresAt: string | null }> }> } };

export type RequestsQueryVariables = Exact<{
  account: string;
  month: string;
}>;


export type RequestsQuery = { requestsInMonth: number };

export type TestProviderMutationVariables = Exact<{
  account: string;
  alias: string;
}>;


export type TestProviderMutation = { testIdentityProvider: string | null };

export type TermsQueryVariables = Exact<{ [key: string]: never; }>;


export type TermsQuery = { tiers: { nodes: Array<{ id: string, name: string }> }, contentPackages: { nodes: Array<{ id: string, name: string }> } };

export type VideoChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type VideoChoicesQuery = { subjects: Array<{ id: string, name: string }>, channels: { channels: Array<{ id: string, name: string }> } };

export type RetentionQueryVariables = Exact<{
  video: string;
  from: string;
  to: string;
}>;


export type RetentionQuery = { retention: { views: Array<number>, plays: number, users: number } };

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

export type NewAccountQueryVariables = Exact<{
  id: string;
  client: string;
}>;


export type NewAccountQuery = { account: { id: string } | null, contentPackage: { id: string } | null, client: { id: string } | null };

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
  version?: number | null | undefined;
  input: UpdateClientInput;
}>;


export type UpdateClientMutation = { updateClient: { version: number } };

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


export type CreateUserMutation = { createUser: { id: string, version: number } };

export type DeleteUserMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
}>;


export type DeleteUserMutation = { deleteUser: string };

export type SetUserPasswordMutationVariables = Exact<{
  id: string;
  password?: string | null | undefined;
}>;


export type SetUserPasswordMutation = { setUserPassword: { id: string } };

export type UpdateUserMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: UpdateUserInput;
}>;


export type UpdateUserMutation = { updateUser: { version: number } };

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
  first: number;
  after?: string | null | undefined;
}>;


export type UsageByQuery = { usage: { asOf: string | null, count: number, endCursor: string | null, rows: Array<{ account: string | null, accountName: string | null, client: string | null, clientName: string | null, user: string | null, externalUser: string | null, userName: string | null, video: string | null, videoTitle: string | null, channel: string | null, channelName: string | null, subject: string | null, subjectName: string | null, plays: number, seconds: number, users: number }> } };

export type UsageBeforeQueryVariables = Exact<{
  from: string;
  to: string;
  filter?: UsageFilter | null | undefined;
  by: Array<UsageDimension> | UsageDimension;
}>;


export type UsageBeforeQuery = { usage: { count: number, rows: Array<{ account: string | null, client: string | null, user: string | null, externalUser: string | null, video: string | null, channel: string | null, subject: string | null, plays: number }> } };

export type StatementsQueryVariables = Exact<{
  account: string;
  month: string;
}>;


export type StatementsQuery = { account: { name: string } | null, statement: { month: string, plays: number, seconds: number, sealedAt: string | null, checksum: string, lines: Array<{ month: string, client: string, billable: boolean, adjustment: boolean, plays: number, seconds: number, void: string }> } };

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
  force: boolean;
}>;


export type SealMonthMutation = { sealMonth: Array<{ account: string }> };

export type PricePlansQueryVariables = Exact<{ [key: string]: never; }>;


export type PricePlansQuery = { pricePlans: { nodes: Array<{ id: string, version: number, name: string, currency: string, monthlyFee: string, minimum: string, components: Array<{ unit: PriceUnit, allowance: number, steps: Array<{ upTo: number | null, price: string }> }> }> } };

export type PutPricePlanMutationVariables = Exact<{
  input: PricePlanInput;
  version?: number | null | undefined;
}>;


export type PutPricePlanMutation = { putPricePlan: { id: string } };

export type DeletePricePlanMutationVariables = Exact<{
  id: string;
}>;


export type DeletePricePlanMutation = { deletePricePlan: string };

export type PricePreviewQueryVariables = Exact<{
  plan: PricePlanInput;
  seconds: number;
  plays: number;
  users: number;
}>;


export type PricePreviewQuery = { pricePreview: { total: string, lines: Array<{ kind: InvoiceLineKind, unit: PriceUnit | null, month: string, quantity: number, from: number | null, to: number | null, price: string | null, amount: string }> } };

export type InvoiceMonthQueryVariables = Exact<{
  month: string;
}>;


export type InvoiceMonthQuery = { invoiceMonth: { sealedAt: string | null, drafts: number, issued: number, totals: Array<{ currency: string, amount: string }>, withoutPlan: Array<{ account: string, name: string | null, plays: number, seconds: number }> } };

export type InvoicesQueryVariables = Exact<{
  month: string;
  after?: string | null | undefined;
}>;


export type InvoicesQuery = { invoices: { nodes: Array<{ id: string, account: string, state: InvoiceState, number: string | null, currency: string, total: string, previousTotal: string | null, warnings: Array<InvoiceWarning>, customer: { name: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type InvoiceQueryVariables = Exact<{
  id: string;
}>;


export type InvoiceQuery = { invoice: { id: string, version: number, account: string, month: string, state: InvoiceState, number: string | null, issuedAt: string | null, updatedAt: string, statement: string, planName: string, currency: string, total: string, previousTotal: string | null, warnings: Array<InvoiceWarning>, issuer: { name: string, address: string, email: string }, customer: { name: string, address: string, email: string }, lines: Array<{ kind: InvoiceLineKind, unit: PriceUnit | null, month: string, quantity: number, from: number | null, to: number | null, price: string | null, amount: string }> } | null };

export type DraftInvoicesMutationVariables = Exact<{
  month: string;
  after?: string | null | undefined;
}>;


export type DraftInvoicesMutation = { draftInvoices: { drafted: number, issued: number, skipped: number, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type IssueInvoicesMutationVariables = Exact<{
  month: string;
  ids?: Array<string> | string | null | undefined;
  after?: string | null | undefined;
}>;


export type IssueInvoicesMutation = { issueInvoices: { issued: number, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type DeleteInvoiceMutationVariables = Exact<{
  id: string;
}>;


export type DeleteInvoiceMutation = { deleteInvoice: string };

export type RoyaltyTermsQueryVariables = Exact<{ [key: string]: never; }>;


export type RoyaltyTermsQuery = { royaltyTerms: { nodes: Array<{ channel: string, channelName: string | null, version: number, basis: RoyaltyBasis, percent: string | null, price: string | null, currency: string | null }> }, channels: { channels: Array<{ id: string, name: string }> } };

export type PutRoyaltyTermsMutationVariables = Exact<{
  channel: string;
  input: RoyaltyTermsInput;
  version?: number | null | undefined;
}>;


export type PutRoyaltyTermsMutation = { putRoyaltyTerms: { channel: string } };

export type DeleteRoyaltyTermsMutationVariables = Exact<{
  channel: string;
}>;


export type DeleteRoyaltyTermsMutation = { deleteRoyaltyTerms: string };

export type RoyaltyStatementsQueryVariables = Exact<{
  month: string;
}>;


export type RoyaltyStatementsQuery = { royaltyStatements: Array<{ channel: string, channelName: string | null, final: boolean, totals: Array<{ currency: string, amount: string }>, lines: Array<{ account: string, accountName: string, milliseconds: number, accountMilliseconds: number, revenue: { currency: string, amount: string }, amount: { currency: string, amount: string } }> }> };

export type StaffQueryVariables = Exact<{ [key: string]: never; }>;


export type StaffQuery = { staff: Array<{ id: string, role: StaffRole, version: number, account: string, username: string | null, givenName: string | null, familyName: string | null, email: string | null, secondFactor: { createdAt: string } | null }>, tokenPolicy: { requireStaffSecondFactor: boolean } };

export type SetStaffRoleMutationVariables = Exact<{
  user: string;
  role?: StaffRole | null | undefined;
  version?: number | null | undefined;
}>;


export type SetStaffRoleMutation = { setStaffRole: { version: number } | null };

export type SetStaffPolicyMutationVariables = Exact<{
  requireSecondFactor: boolean;
  version?: number | null | undefined;
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

export type SystemSizesQueryVariables = Exact<{ [key: string]: never; }>;


export type SystemSizesQuery = { system: { sizes: Array<{ name: string, engine: string | null, bytes: number | null, inMemory: boolean, tables: Array<{ name: string, rows: number | null, bytes: number | null }> }> } };

export type MaintenanceQueryVariables = Exact<{ [key: string]: never; }>;


export type MaintenanceQuery = { VERIFY_USAGE: { nodes: Array<{ id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null }> }, REINDEX: { nodes: Array<{ id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null }> }, BACKUP: { nodes: Array<{ id: string, kind: JobKind, state: JobState, userName: string | null, client: string, createdAt: string, endedAt: string | null, done: number, total: number, cancelRequested: boolean, error: string | null, maintenance: { sound: boolean, lines: Array<string> } | null, files: Array<{ name: string, size: number, path: string }>, import: { upload: string, fileName: string, dryRun: boolean, strict: boolean, prune: boolean, mapping: { kind: string, source: string | null, fields: Array<{ field: string, column: string | null, constant: string | null, separator: string | null }> } | null, result: { added: number, changed: number, unchanged: number, rejected: number, pruned: number, kept: number, nothingWritten: boolean, pruneRefused: string | null, held: number, differences: number, omitted: number } | null } | null, change: { selected: number, undoes: string | null, undoable: boolean, result: { changed: number, unchanged: number, failed: number, problems: Array<{ video: string, problem: string }> } | null } | null }> } };

export type MaintainMutationVariables = Exact<{
  task: MaintenanceTask;
}>;


export type MaintainMutation = { startMaintenance: { id: string } };

export type RotateKeysMutationVariables = Exact<{
  withdraw: boolean;
}>;


export type RotateKeysMutation = { rotateSigningKeys: Array<{ id: string }> };

export type TaxonomyQueryVariables = Exact<{
  kind: CatalogueKind;
  text?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type TaxonomyQuery = { catalogueItems: { total: number | null, nodes: Array<{ id: string, version: number, updatedAt: string, source: string, body: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type VideoCountsQueryVariables = Exact<{
  kind: CatalogueKind;
}>;


export type VideoCountsQuery = { videoCounts: Array<{ id: string, videos: number }> };

export type LastChangeQueryVariables = Exact<{
  kind: CatalogueKind;
  id: string;
}>;


export type LastChangeQuery = { catalogueAuditLog: { nodes: Array<{ number: number }> } };

export type CreateSubjectMutationVariables = Exact<{
  input: SubjectInput;
}>;


export type CreateSubjectMutation = { createSubject: { id: string } };

export type UpdateSubjectMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: SubjectInput;
}>;


export type UpdateSubjectMutation = { updateSubject: { version: number } };

export type DeleteSubjectMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSubjectMutation = { deleteSubject: string };

export type CreateDisciplineMutationVariables = Exact<{
  input: DisciplineInput;
}>;


export type CreateDisciplineMutation = { createDiscipline: { id: string } };

export type UpdateDisciplineMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: DisciplineInput;
}>;


export type UpdateDisciplineMutation = { updateDiscipline: { version: number } };

export type DeleteDisciplineMutationVariables = Exact<{
  id: string;
}>;


export type DeleteDisciplineMutation = { deleteDiscipline: string };

export type CreateTopicMutationVariables = Exact<{
  input: TopicInput;
}>;


export type CreateTopicMutation = { createTopic: { id: string } };

export type UpdateTopicMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: TopicInput;
}>;


export type UpdateTopicMutation = { updateTopic: { version: number } };

export type DeleteTopicMutationVariables = Exact<{
  id: string;
}>;


export type DeleteTopicMutation = { deleteTopic: string };

export type CreateTagMutationVariables = Exact<{
  input: TagInput;
}>;


export type CreateTagMutation = { createTag: { id: string } };

export type UpdateTagMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: TagInput;
}>;


export type UpdateTagMutation = { updateTag: { version: number } };

export type DeleteTagMutationVariables = Exact<{
  id: string;
}>;


export type DeleteTagMutation = { deleteTag: string };

export type PutEducationLevelMutationVariables = Exact<{
  version?: number | null | undefined;
  input: EducationLevelInput;
}>;


export type PutEducationLevelMutation = { putEducationLevel: { version: number } };

export type DeleteEducationLevelMutationVariables = Exact<{
  id: string;
}>;


export type DeleteEducationLevelMutation = { deleteEducationLevel: string };

export type CreateChannelMutationVariables = Exact<{
  input: ChannelInput;
}>;


export type CreateChannelMutation = { createChannel: { id: string } };

export type UpdateChannelMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: ChannelInput;
}>;


export type UpdateChannelMutation = { updateChannel: { version: number } };

export type DeleteChannelMutationVariables = Exact<{
  id: string;
}>;


export type DeleteChannelMutation = { deleteChannel: string };

export type MergeItemsMutationVariables = Exact<{
  kind: CatalogueKind;
  from: string;
  into: string;
}>;


export type MergeItemsMutation = { mergeItems: { changed: number, done: boolean } };

export type CollectionsQueryVariables = Exact<{
  filter: CollectionFilter;
  sortBy?: Array<CollectionOrder> | CollectionOrder | null | undefined;
  page: number;
}>;


export type CollectionsQuery = { collections: { total: number, collections: Array<{ id: string, title: string, ownerName: string, createdBy: string, discoverable: boolean, promoted: boolean, updatedAt: string, references: string[] }> } };

export type CollectionQueryVariables = Exact<{
  id: string;
}>;


export type CollectionQuery = { collection: { id: string, title: string, description: string | null, owner: string, ownerName: string, createdBy: string, discoverable: boolean, promoted: boolean, promotedFor: Array<Product>, updatedAt: string, permissions: { anyone: CollectionPermission }, assets: Array<{ note: string | null, id: { videoId: string, highlightId: string | null }, segment: { start: number, end: number } | null, video: { id: string, title: string, createdBy: string, playback: { duration: string, thumbnail: string | null } } }> } | null };

export type CreateCollectionMutationVariables = Exact<{
  input: CollectionInput;
}>;


export type CreateCollectionMutation = { createCollection: { id: string } };

export type UpdateCollectionMutationVariables = Exact<{
  id: string;
  lastUpdatedAt?: string | null | undefined;
  input: UpdateCollectionInput;
}>;


export type UpdateCollectionMutation = { updateCollection: { id: string, updatedAt: string } };

export type AddToCollectionMutationVariables = Exact<{
  id: string;
  video: string;
}>;


export type AddToCollectionMutation = { addToCollection: { updatedAt: string } };

export type DeleteCollectionMutationVariables = Exact<{
  id: string;
}>;


export type DeleteCollectionMutation = { deleteCollection: string };

export type PackagesQueryVariables = Exact<{ [key: string]: never; }>;


export type PackagesQuery = { contentPackages: { nodes: Array<{ id: string, name: string, updatedAt: string, rules: Array<{ type: AccessRuleType, values: Array<string> }> }> } };

export type PackageQueryVariables = Exact<{
  id: string;
}>;


export type PackageQuery = { contentPackage: { id: string, version: number, name: string, updatedAt: string, rules: Array<{ type: AccessRuleType, values: Array<string> }> } | null };

export type PackagePreviewQueryVariables = Exact<{
  rules: Array<AccessRuleInput> | AccessRuleInput;
}>;


export type PackagePreviewQuery = { previewContentPackage: { shown: number, hidden: number, shownExamples: Array<{ id: string, title: string, createdBy: string }>, hiddenExamples: Array<{ id: string, title: string, createdBy: string }> } };

export type UpdatePackageMutationVariables = Exact<{
  id: string;
  version?: number | null | undefined;
  input: UpdateContentPackageInput;
}>;


export type UpdatePackageMutation = { updateContentPackage: { id: string, version: number } };

export type DeletePackageMutationVariables = Exact<{
  id: string;
}>;


export type DeletePackageMutation = { deleteContentPackage: string };

export type TiersQueryVariables = Exact<{ [key: string]: never; }>;


export type TiersQuery = { tiers: { nodes: Array<{ id: string, version: number, name: string, updatedAt: string, roles: Array<Permission>, features: Array<{ name: string, enabled: boolean }> }> } };

export type PutTierMutationVariables = Exact<{
  version?: number | null | undefined;
  input: TierInput;
}>;


export type PutTierMutation = { putTier: { version: number } };

export type ChangesQueryVariables = Exact<{
  filter?: ChangeFilter | null | undefined;
  first: number;
  before?: string | null | undefined;
}>;


export type ChangesQuery = { changes: { nodes: Array<{ number: number, at: string, client: string, user: string | null, userName: string | null, catalogueKind: CatalogueKind | null, recordKind: RecordKind | null, id: string | null, account: string | null, before: unknown, after: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

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
export const JobFieldsFragmentDoc = new TypedDocumentString(`
    fragment JobFields on Job {
  id
  kind
  state
  userName
  client
  createdAt
  endedAt
  done
  total
  cancelRequested
  error
  maintenance {
    sound
    lines
  }
  files {
    name
    size
    path
  }
  import {
    upload
    fileName
    dryRun
    strict
    prune
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
    result {
      added
      changed
      unchanged
      rejected
      pruned
      kept
      nothingWritten
      pruneRefused
      held
      differences
      omitted
    }
  }
  change {
    selected
    undoes
    undoable
    result {
      changed
      unchanged
      failed
      problems {
        video
        problem
      }
    }
  }
}
    `, {"fragmentName":"JobFields"}) as unknown as TypedDocumentString<JobFieldsFragment, unknown>;
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
export const SetUpDocument = new TypedDocumentString(`
    query SetUp($customers: Boolean!, $staff: Boolean!, $from: DateTime!, $to: DateTime!) {
  listedVideos(size: 1) {
    total
  }
  accounts(first: 10) @include(if: $customers) {
    nodes {
      operator
    }
  }
  clients(first: 10) @include(if: $customers) {
    nodes {
      id
    }
  }
  staff @include(if: $staff) {
    id
  }
  usage(from: $from, to: $to, first: 1) {
    total {
      plays
    }
  }
}
    `) as unknown as TypedDocumentString<SetUpQuery, SetUpQueryVariables>;
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
export const FindVideosDocument = new TypedDocumentString(`
    query FindVideos($text: String!, $size: Int!) {
  searchVideos(query: $text, size: $size) {
    videos {
      id
      title
    }
  }
}
    `) as unknown as TypedDocumentString<FindVideosQuery, FindVideosQueryVariables>;
export const NamedVideosDocument = new TypedDocumentString(`
    query NamedVideos($ids: [ID!]!) {
  videosById(ids: $ids) {
    id
    title
  }
}
    `) as unknown as TypedDocumentString<NamedVideosQuery, NamedVideosQueryVariables>;
export const ListedVideosDocument = new TypedDocumentString(`
    query ListedVideos($state: ListedState!, $text: String, $filter: VideoFilter, $sortBy: ListedOrder!, $page: Int!, $size: Int!) {
  listedVideos(
    state: $state
    query: $text
    filter: $filter
    sortBy: $sortBy
    page: $page
    size: $size
    facets: {channels: true, educationLevels: true}
  ) {
    total
    totalPages
    videos {
      hidden
      private
      expired
      missing
      video {
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
      educationLevels {
        key
        name
        hits
      }
      languages {
        key
        name
        hits
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ListedVideosQuery, ListedVideosQueryVariables>;
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
    mutation RetireVideo($id: ID!, $version: Int) {
  retireVideo(id: $id, version: $version) {
    version
  }
}
    `) as unknown as TypedDocumentString<RetireVideoMutation, RetireVideoMutationVariables>;
export const RestoreVideoDocument = new TypedDocumentString(`
    mutation RestoreVideo($id: ID!, $version: Int) {
  restoreVideo(id: $id, version: $version) {
    version
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
export const JobsDocument = new TypedDocumentString(`
    query Jobs($kind: JobKind, $after: String) {
  jobs(kind: $kind, first: 20, after: $after) {
    nodes {
      ...JobFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment JobFields on Job {
  id
  kind
  state
  userName
  client
  createdAt
  endedAt
  done
  total
  cancelRequested
  error
  maintenance {
    sound
    lines
  }
  files {
    name
    size
    path
  }
  import {
    upload
    fileName
    dryRun
    strict
    prune
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
    result {
      added
      changed
      unchanged
      rejected
      pruned
      kept
      nothingWritten
      pruneRefused
      held
      differences
      omitted
    }
  }
  change {
    selected
    undoes
    undoable
    result {
      changed
      unchanged
      failed
      problems {
        video
        problem
      }
    }
  }
}`) as unknown as TypedDocumentString<JobsQuery, JobsQueryVariables>;
export const JobDocument = new TypedDocumentString(`
    query Job($id: ID!) {
  job(id: $id) {
    ...JobFields
  }
}
    fragment JobFields on Job {
  id
  kind
  state
  userName
  client
  createdAt
  endedAt
  done
  total
  cancelRequested
  error
  maintenance {
    sound
    lines
  }
  files {
    name
    size
    path
  }
  import {
    upload
    fileName
    dryRun
    strict
    prune
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
    result {
      added
      changed
      unchanged
      rejected
      pruned
      kept
      nothingWritten
      pruneRefused
      held
      differences
      omitted
    }
  }
  change {
    selected
    undoes
    undoable
    result {
      changed
      unchanged
      failed
      problems {
        video
        problem
      }
    }
  }
}`) as unknown as TypedDocumentString<JobQuery, JobQueryVariables>;
export const FindingsDocument = new TypedDocumentString(`
    query Findings($id: ID!) {
  job(id: $id) {
    import {
      findings {
        rejected {
          line
          reasons
        }
        differences {
          line
          kind
          id
          field
          problem
        }
        held {
          line
          kind
          id
          field
          problem
        }
        problems {
          line
          field
          problem
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FindingsQuery, FindingsQueryVariables>;
export const PreviewDocument = new TypedDocumentString(`
    query Preview($upload: ID!, $mapping: MappingInput) {
  previewImport(upload: $upload, mapping: $mapping) {
    format
    columns
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
    fields {
      name
      required
      list
    }
    lines {
      line
      record
      problems
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewQuery, PreviewQueryVariables>;
export const MappingsDocument = new TypedDocumentString(`
    query Mappings {
  importMappings {
    id
    name
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MappingsQuery, MappingsQueryVariables>;
export const SaveMappingDocument = new TypedDocumentString(`
    mutation SaveMapping($name: String!, $mapping: MappingInput!) {
  putImportMapping(name: $name, mapping: $mapping) {
    id
  }
}
    `) as unknown as TypedDocumentString<SaveMappingMutation, SaveMappingMutationVariables>;
export const DeleteMappingDocument = new TypedDocumentString(`
    mutation DeleteMapping($id: ID!) {
  deleteImportMapping(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteMappingMutation, DeleteMappingMutationVariables>;
export const StartImportDocument = new TypedDocumentString(`
    mutation StartImport($input: ImportInput!) {
  startImport(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<StartImportMutation, StartImportMutationVariables>;
export const ChangeVideosDocument = new TypedDocumentString(`
    mutation ChangeVideos($selection: VideoSelectionInput!, $change: VideoChangeInput!) {
  startChangeOfVideos(selection: $selection, change: $change) {
    id
  }
}
    `) as unknown as TypedDocumentString<ChangeVideosMutation, ChangeVideosMutationVariables>;
export const CancelJobDocument = new TypedDocumentString(`
    mutation CancelJob($id: ID!) {
  cancelJob(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<CancelJobMutation, CancelJobMutationVariables>;
export const UndoJobDocument = new TypedDocumentString(`
    mutation UndoJob($id: ID!) {
  undoJob(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<UndoJobMutation, UndoJobMutationVariables>;
export const ExplainDocument = new TypedDocumentString(`
    query Explain($query: String!, $video: ID, $account: String) {
  explainSearch(query: $query, video: $video, account: $account) {
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
    version
  }
}
    `) as unknown as TypedDocumentString<CreateSynonymMutation, CreateSynonymMutationVariables>;
export const DeleteSynonymDocument = new TypedDocumentString(`
    mutation DeleteSynonym($id: ID!, $version: Int) {
  deleteSynonym(id: $id, version: $version)
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
    passwordSignIn
    createdAt
    updatedAt
    pricePlan
    billingAddress
    billingEmail
    identityProviders {
      alias
      name
      issuer
      clientId
      hasClientSecret
      scopes
      domains
    }
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
export const RequestsDocument = new TypedDocumentString(`
    query Requests($account: String!, $month: Month!) {
  requestsInMonth(account: $account, month: $month)
}
    `) as unknown as TypedDocumentString<RequestsQuery, RequestsQueryVariables>;
export const TestProviderDocument = new TypedDocumentString(`
    mutation TestProvider($account: String!, $alias: String!) {
  testIdentityProvider(account: $account, alias: $alias)
}
    `) as unknown as TypedDocumentString<TestProviderMutation, TestProviderMutationVariables>;
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
export const VideoChoicesDocument = new TypedDocumentString(`
    query VideoChoices {
  subjects(visibility: ALL) {
    id
    name
  }
  channels(size: 2000) {
    channels {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<VideoChoicesQuery, VideoChoicesQueryVariables>;
export const RetentionDocument = new TypedDocumentString(`
    query Retention($video: String!, $from: DateTime!, $to: DateTime!) {
  retention(video: $video, from: $from, to: $to) {
    views
    plays
    users
  }
}
    `) as unknown as TypedDocumentString<RetentionQuery, RetentionQueryVariables>;
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
export const NewAccountDocument = new TypedDocumentString(`
    query NewAccount($id: String!, $client: String!) {
  account(id: $id) {
    id
  }
  contentPackage(id: $id) {
    id
  }
  client(id: $client) {
    id
  }
}
    `) as unknown as TypedDocumentString<NewAccountQuery, NewAccountQueryVariables>;
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
    mutation UpdateClient($id: String!, $version: Int, $input: UpdateClientInput!) {
  updateClient(id: $id, version: $version, input: $input) {
    version
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
    version
  }
}
    `) as unknown as TypedDocumentString<CreateUserMutation, CreateUserMutationVariables>;
export const DeleteUserDocument = new TypedDocumentString(`
    mutation DeleteUser($id: String!, $version: Int) {
  deleteUser(id: $id, version: $version)
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
    mutation UpdateUser($id: String!, $version: Int, $input: UpdateUserInput!) {
  updateUser(id: $id, version: $version, input: $input) {
    version
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
    query UsageBy($from: DateTime!, $to: DateTime!, $filter: UsageFilter, $by: [UsageDimension!]!, $first: Int!, $after: String) {
  usage(
    from: $from
    to: $to
    filter: $filter
    by: $by
    orderBy: PLAYS
    first: $first
    after: $after
  ) {
    asOf
    count
    endCursor
    rows {
      account
      accountName
      client
      clientName
      user
      externalUser
      userName
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
export const UsageBeforeDocument = new TypedDocumentString(`
    query UsageBefore($from: DateTime!, $to: DateTime!, $filter: UsageFilter, $by: [UsageDimension!]!) {
  usage(
    from: $from
    to: $to
    filter: $filter
    by: $by
    orderBy: PLAYS
    first: 1000
  ) {
    count
    rows {
      account
      client
      user
      externalUser
      video
      channel
      subject
      plays
    }
  }
}
    `) as unknown as TypedDocumentString<UsageBeforeQuery, UsageBeforeQueryVariables>;
export const StatementsDocument = new TypedDocumentString(`
    query Statements($account: String!, $month: Month!) {
  account(id: $account) {
    name
  }
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
    mutation SealMonth($month: Month!, $force: Boolean!) {
  sealMonth(month: $month, force: $force) {
    account
  }
}
    `) as unknown as TypedDocumentString<SealMonthMutation, SealMonthMutationVariables>;
export const PricePlansDocument = new TypedDocumentString(`
    query PricePlans {
  pricePlans(first: 200) {
    nodes {
      id
      version
      name
      currency
      monthlyFee
      minimum
      components {
        unit
        allowance
        steps {
          upTo
          price
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PricePlansQuery, PricePlansQueryVariables>;
export const PutPricePlanDocument = new TypedDocumentString(`
    mutation PutPricePlan($input: PricePlanInput!, $version: Int) {
  putPricePlan(input: $input, version: $version) {
    id
  }
}
    `) as unknown as TypedDocumentString<PutPricePlanMutation, PutPricePlanMutationVariables>;
export const DeletePricePlanDocument = new TypedDocumentString(`
    mutation DeletePricePlan($id: String!) {
  deletePricePlan(id: $id)
}
    `) as unknown as TypedDocumentString<DeletePricePlanMutation, DeletePricePlanMutationVariables>;
export const PricePreviewDocument = new TypedDocumentString(`
    query PricePreview($plan: PricePlanInput!, $seconds: Int!, $plays: Int!, $users: Int!) {
  pricePreview(plan: $plan, seconds: $seconds, plays: $plays, users: $users) {
    total
    lines {
      kind
      unit
      month
      quantity
      from
      to
      price
      amount
    }
  }
}
    `) as unknown as TypedDocumentString<PricePreviewQuery, PricePreviewQueryVariables>;
export const InvoiceMonthDocument = new TypedDocumentString(`
    query InvoiceMonth($month: Month!) {
  invoiceMonth(month: $month) {
    sealedAt
    drafts
    issued
    totals {
      currency
      amount
    }
    withoutPlan {
      account
      name
      plays
      seconds
    }
  }
}
    `) as unknown as TypedDocumentString<InvoiceMonthQuery, InvoiceMonthQueryVariables>;
export const InvoicesDocument = new TypedDocumentString(`
    query Invoices($month: Month!, $after: String) {
  invoices(month: $month, first: 50, after: $after) {
    nodes {
      id
      account
      customer {
        name
      }
      state
      number
      currency
      total
      previousTotal
      warnings
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<InvoicesQuery, InvoicesQueryVariables>;
export const InvoiceDocument = new TypedDocumentString(`
    query Invoice($id: String!) {
  invoice(id: $id) {
    id
    version
    account
    month
    state
    number
    issuedAt
    updatedAt
    issuer {
      name
      address
      email
    }
    customer {
      name
      address
      email
    }
    statement
    planName
    currency
    total
    previousTotal
    warnings
    lines {
      kind
      unit
      month
      quantity
      from
      to
      price
      amount
    }
  }
}
    `) as unknown as TypedDocumentString<InvoiceQuery, InvoiceQueryVariables>;
export const DraftInvoicesDocument = new TypedDocumentString(`
    mutation DraftInvoices($month: Month!, $after: String) {
  draftInvoices(month: $month, after: $after) {
    drafted
    issued
    skipped
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<DraftInvoicesMutation, DraftInvoicesMutationVariables>;
export const IssueInvoicesDocument = new TypedDocumentString(`
    mutation IssueInvoices($month: Month!, $ids: [String!], $after: String) {
  issueInvoices(month: $month, ids: $ids, after: $after) {
    issued
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<IssueInvoicesMutation, IssueInvoicesMutationVariables>;
export const DeleteInvoiceDocument = new TypedDocumentString(`
    mutation DeleteInvoice($id: String!) {
  deleteInvoice(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteInvoiceMutation, DeleteInvoiceMutationVariables>;
export const RoyaltyTermsDocument = new TypedDocumentString(`
    query RoyaltyTerms {
  royaltyTerms(first: 200) {
    nodes {
      channel
      channelName
      version
      basis
      percent
      price
      currency
    }
  }
  channels(size: 1000) {
    channels {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<RoyaltyTermsQuery, RoyaltyTermsQueryVariables>;
export const PutRoyaltyTermsDocument = new TypedDocumentString(`
    mutation PutRoyaltyTerms($channel: ID!, $input: RoyaltyTermsInput!, $version: Int) {
  putRoyaltyTerms(channel: $channel, input: $input, version: $version) {
    channel
  }
}
    `) as unknown as TypedDocumentString<PutRoyaltyTermsMutation, PutRoyaltyTermsMutationVariables>;
export const DeleteRoyaltyTermsDocument = new TypedDocumentString(`
    mutation DeleteRoyaltyTerms($channel: ID!) {
  deleteRoyaltyTerms(channel: $channel)
}
    `) as unknown as TypedDocumentString<DeleteRoyaltyTermsMutation, DeleteRoyaltyTermsMutationVariables>;
export const RoyaltyStatementsDocument = new TypedDocumentString(`
    query RoyaltyStatements($month: Month!) {
  royaltyStatements(month: $month) {
    channel
    channelName
    final
    totals {
      currency
      amount
    }
    lines {
      account
      accountName
      milliseconds
      accountMilliseconds
      revenue {
        currency
        amount
      }
      amount {
        currency
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RoyaltyStatementsQuery, RoyaltyStatementsQueryVariables>;
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
    mutation SetStaffRole($user: ID!, $role: StaffRole, $version: Int) {
  setStaffRole(user: $user, role: $role, version: $version) {
    version
  }
}
    `) as unknown as TypedDocumentString<SetStaffRoleMutation, SetStaffRoleMutationVariables>;
export const SetStaffPolicyDocument = new TypedDocumentString(`
    mutation SetStaffPolicy($requireSecondFactor: Boolean!, $version: Int) {
  setStaffPolicy(requireSecondFactor: $requireSecondFactor, version: $version) {
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
export const SystemSizesDocument = new TypedDocumentString(`
    query SystemSizes {
  system {
    sizes {
      name
      engine
      bytes
      inMemory
      tables {
        name
        rows
        bytes
      }
    }
  }
}
    `) as unknown as TypedDocumentString<SystemSizesQuery, SystemSizesQueryVariables>;
export const MaintenanceDocument = new TypedDocumentString(`
    query Maintenance {
  VERIFY_USAGE: jobs(kind: VERIFY_USAGE, first: 1) {
    nodes {
      ...JobFields
    }
  }
  REINDEX: jobs(kind: REINDEX, first: 1) {
    nodes {
      ...JobFields
    }
  }
  BACKUP: jobs(kind: BACKUP, first: 1) {
    nodes {
      ...JobFields
    }
  }
}
    fragment JobFields on Job {
  id
  kind
  state
  userName
  client
  createdAt
  endedAt
  done
  total
  cancelRequested
  error
  maintenance {
    sound
    lines
  }
  files {
    name
    size
    path
  }
  import {
    upload
    fileName
    dryRun
    strict
    prune
    mapping {
      kind
      source
      fields {
        field
        column
        constant
        separator
      }
    }
    result {
      added
      changed
      unchanged
      rejected
      pruned
      kept
      nothingWritten
      pruneRefused
      held
      differences
      omitted
    }
  }
  change {
    selected
    undoes
    undoable
    result {
      changed
      unchanged
      failed
      problems {
        video
        problem
      }
    }
  }
}`) as unknown as TypedDocumentString<MaintenanceQuery, MaintenanceQueryVariables>;
export const MaintainDocument = new TypedDocumentString(`
    mutation Maintain($task: MaintenanceTask!) {
  startMaintenance(task: $task) {
    id
  }
}
    `) as unknown as TypedDocumentString<MaintainMutation, MaintainMutationVariables>;
export const RotateKeysDocument = new TypedDocumentString(`
    mutation RotateKeys($withdraw: Boolean!) {
  rotateSigningKeys(withdraw: $withdraw) {
    id
  }
}
    `) as unknown as TypedDocumentString<RotateKeysMutation, RotateKeysMutationVariables>;
export const TaxonomyDocument = new TypedDocumentString(`
    query Taxonomy($kind: CatalogueKind!, $text: String, $after: String) {
  catalogueItems(kind: $kind, text: $text, first: 200, after: $after) {
    total
    nodes {
      id
      version
      updatedAt
      source
      body
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<TaxonomyQuery, TaxonomyQueryVariables>;
export const VideoCountsDocument = new TypedDocumentString(`
    query VideoCounts($kind: CatalogueKind!) {
  videoCounts(kind: $kind) {
    id
    videos
  }
}
    `) as unknown as TypedDocumentString<VideoCountsQuery, VideoCountsQueryVariables>;
export const LastChangeDocument = new TypedDocumentString(`
    query LastChange($kind: CatalogueKind!, $id: ID!) {
  catalogueAuditLog(kind: $kind, id: $id, first: 1) {
    nodes {
      number
    }
  }
}
    `) as unknown as TypedDocumentString<LastChangeQuery, LastChangeQueryVariables>;
export const CreateSubjectDocument = new TypedDocumentString(`
    mutation CreateSubject($input: SubjectInput!) {
  createSubject(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateSubjectMutation, CreateSubjectMutationVariables>;
export const UpdateSubjectDocument = new TypedDocumentString(`
    mutation UpdateSubject($id: ID!, $version: Int, $input: SubjectInput!) {
  updateSubject(id: $id, version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateSubjectMutation, UpdateSubjectMutationVariables>;
export const DeleteSubjectDocument = new TypedDocumentString(`
    mutation DeleteSubject($id: ID!) {
  deleteSubject(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteSubjectMutation, DeleteSubjectMutationVariables>;
export const CreateDisciplineDocument = new TypedDocumentString(`
    mutation CreateDiscipline($input: DisciplineInput!) {
  createDiscipline(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateDisciplineMutation, CreateDisciplineMutationVariables>;
export const UpdateDisciplineDocument = new TypedDocumentString(`
    mutation UpdateDiscipline($id: ID!, $version: Int, $input: DisciplineInput!) {
  updateDiscipline(id: $id, version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateDisciplineMutation, UpdateDisciplineMutationVariables>;
export const DeleteDisciplineDocument = new TypedDocumentString(`
    mutation DeleteDiscipline($id: ID!) {
  deleteDiscipline(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteDisciplineMutation, DeleteDisciplineMutationVariables>;
export const CreateTopicDocument = new TypedDocumentString(`
    mutation CreateTopic($input: TopicInput!) {
  createTopic(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateTopicMutation, CreateTopicMutationVariables>;
export const UpdateTopicDocument = new TypedDocumentString(`
    mutation UpdateTopic($id: ID!, $version: Int, $input: TopicInput!) {
  updateTopic(id: $id, version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateTopicMutation, UpdateTopicMutationVariables>;
export const DeleteTopicDocument = new TypedDocumentString(`
    mutation DeleteTopic($id: ID!) {
  deleteTopic(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteTopicMutation, DeleteTopicMutationVariables>;
export const CreateTagDocument = new TypedDocumentString(`
    mutation CreateTag($input: TagInput!) {
  createTag(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateTagMutation, CreateTagMutationVariables>;
export const UpdateTagDocument = new TypedDocumentString(`
    mutation UpdateTag($id: ID!, $version: Int, $input: TagInput!) {
  updateTag(id: $id, version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateTagMutation, UpdateTagMutationVariables>;
export const DeleteTagDocument = new TypedDocumentString(`
    mutation DeleteTag($id: ID!) {
  deleteTag(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteTagMutation, DeleteTagMutationVariables>;
export const PutEducationLevelDocument = new TypedDocumentString(`
    mutation PutEducationLevel($version: Int, $input: EducationLevelInput!) {
  putEducationLevel(version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<PutEducationLevelMutation, PutEducationLevelMutationVariables>;
export const DeleteEducationLevelDocument = new TypedDocumentString(`
    mutation DeleteEducationLevel($id: ID!) {
  deleteEducationLevel(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteEducationLevelMutation, DeleteEducationLevelMutationVariables>;
export const CreateChannelDocument = new TypedDocumentString(`
    mutation CreateChannel($input: ChannelInput!) {
  createChannel(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateChannelMutation, CreateChannelMutationVariables>;
export const UpdateChannelDocument = new TypedDocumentString(`
    mutation UpdateChannel($id: ID!, $version: Int, $input: ChannelInput!) {
  updateChannel(id: $id, version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateChannelMutation, UpdateChannelMutationVariables>;
export const DeleteChannelDocument = new TypedDocumentString(`
    mutation DeleteChannel($id: ID!) {
  deleteChannel(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteChannelMutation, DeleteChannelMutationVariables>;
export const MergeItemsDocument = new TypedDocumentString(`
    mutation MergeItems($kind: CatalogueKind!, $from: ID!, $into: ID!) {
  mergeItems(kind: $kind, from: $from, into: $into) {
    changed
    done
  }
}
    `) as unknown as TypedDocumentString<MergeItemsMutation, MergeItemsMutationVariables>;
export const CollectionsDocument = new TypedDocumentString(`
    query Collections($filter: CollectionFilter!, $sortBy: [CollectionOrder!], $page: Int!) {
  collections(filter: $filter, sortBy: $sortBy, page: $page, size: 50) {
    total
    collections {
      id
      title
      ownerName
      createdBy
      discoverable
      promoted
      updatedAt
      references
    }
  }
}
    `) as unknown as TypedDocumentString<CollectionsQuery, CollectionsQueryVariables>;
export const CollectionDocument = new TypedDocumentString(`
    query Collection($id: String!) {
  collection(id: $id) {
    id
    title
    description
    owner
    ownerName
    createdBy
    discoverable
    promoted
    promotedFor
    updatedAt
    permissions {
      anyone
    }
    assets {
      id {
        videoId
        highlightId
      }
      note
      segment {
        start
        end
      }
      video {
        id
        title
        createdBy
        playback {
          duration
          thumbnail(width: 160)
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<CollectionQuery, CollectionQueryVariables>;
export const CreateCollectionDocument = new TypedDocumentString(`
    mutation CreateCollection($input: CollectionInput!) {
  createCollection(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateCollectionMutation, CreateCollectionMutationVariables>;
export const UpdateCollectionDocument = new TypedDocumentString(`
    mutation UpdateCollection($id: String!, $lastUpdatedAt: DateTime, $input: UpdateCollectionInput!) {
  updateCollection(id: $id, lastUpdatedAt: $lastUpdatedAt, input: $input) {
    id
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<UpdateCollectionMutation, UpdateCollectionMutationVariables>;
export const AddToCollectionDocument = new TypedDocumentString(`
    mutation AddToCollection($id: String!, $video: String!) {
  addToCollection(id: $id, video: $video) {
    updatedAt
  }
}
    `) as unknown as TypedDocumentString<AddToCollectionMutation, AddToCollectionMutationVariables>;
export const DeleteCollectionDocument = new TypedDocumentString(`
    mutation DeleteCollection($id: String!) {
  deleteCollection(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteCollectionMutation, DeleteCollectionMutationVariables>;
export const PackagesDocument = new TypedDocumentString(`
    query Packages {
  contentPackages(first: 200) {
    nodes {
      id
      name
      updatedAt
      rules {
        type
        values
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PackagesQuery, PackagesQueryVariables>;
export const PackageDocument = new TypedDocumentString(`
    query Package($id: String!) {
  contentPackage(id: $id) {
    id
    version
    name
    updatedAt
    rules {
      type
      values
    }
  }
}
    `) as unknown as TypedDocumentString<PackageQuery, PackageQueryVariables>;
export const PackagePreviewDocument = new TypedDocumentString(`
    query PackagePreview($rules: [AccessRuleInput!]!) {
  previewContentPackage(rules: $rules) {
    shown
    hidden
    shownExamples {
      id
      title
      createdBy
    }
    hiddenExamples {
      id
      title
      createdBy
    }
  }
}
    `) as unknown as TypedDocumentString<PackagePreviewQuery, PackagePreviewQueryVariables>;
export const UpdatePackageDocument = new TypedDocumentString(`
    mutation UpdatePackage($id: String!, $version: Int, $input: UpdateContentPackageInput!) {
  updateContentPackage(id: $id, version: $version, input: $input) {
    id
    version
  }
}
    `) as unknown as TypedDocumentString<UpdatePackageMutation, UpdatePackageMutationVariables>;
export const DeletePackageDocument = new TypedDocumentString(`
    mutation DeletePackage($id: String!) {
  deleteContentPackage(id: $id)
}
    `) as unknown as TypedDocumentString<DeletePackageMutation, DeletePackageMutationVariables>;
export const TiersDocument = new TypedDocumentString(`
    query Tiers {
  tiers(first: 200) {
    nodes {
      id
      version
      name
      updatedAt
      roles
      features {
        name
        enabled
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TiersQuery, TiersQueryVariables>;
export const PutTierDocument = new TypedDocumentString(`
    mutation PutTier($version: Int, $input: TierInput!) {
  putTier(version: $version, input: $input) {
    version
  }
}
    `) as unknown as TypedDocumentString<PutTierMutation, PutTierMutationVariables>;
export const ChangesDocument = new TypedDocumentString(`
    query Changes($filter: ChangeFilter, $first: Int!, $before: String) {
  changes(filter: $filter, first: $first, before: $before) {
    nodes {
      number
      at
      client
      user
      userName
      catalogueKind
      recordKind
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
    `) as unknown as TypedDocumentString<ChangesQuery, ChangesQueryVariables>;