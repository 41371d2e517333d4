import type { Environment } from '../lib/environment.js';

const MAX_PATH = 4096;

/**
 * Takes a relative path apart; `.` and doubled slashes go, and no form is left that could lead
 * anywhere else on any system: no `..`, no backslash, no drive, no stream, no control character.
 */
export function parsePath(path: string): {
  readonly segments: readonly string[];
  readonly refusal?: string;
} {
  const refused = (refusal: string) => ({ segments: [], refusal });
  if (path.trim() === '') return refused('a path is required; `.` is the working directory');
  if (path.length > MAX_PATH) return refused('the path is too long');
  if (CONTROL.test(path)) return refused('a path cannot contain control characters');
  if (path.includes('\\'))
    return refused('the parts of a path are separated by `/`, not by a backslash');
  if (path.includes(':')) return refused('a path cannot contain `:`: no drives and no streams');
  if (path.startsWith('/'))
    return refused('it is outside the working directory; give a relative path');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.some((segment) => FOLDED_PARENT.test(segment))) {
    return refused('`..` is not allowed; give a path inside the working directory');
  }
  return { segments };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x1f\x7f]/;

/** `..`, also with the trailing dots and spaces that Windows drops. */
const FOLDED_PARENT = /^\.\.[. ]*$/;

/**
 * True for a path to credentials, by {@link CREDENTIAL_PLACES}. Names are compared as the most
 * lenient file system compares them. Such a path is never read, listed or written.
 */
export function isSecretPath(segments: readonly string[]): boolean {
  const names = segments.map(foldName);
  return names.some(
    (name, index) =>
      CREDENTIAL_NAMES.some((pattern) => pattern.test(name)) ||
      LENGTHS.some((length) => PLACES.has(names.slice(index, index + length).join('/'))),
  );
}

/**
 * True for a path that can be read but must not be written: GitHub's own folder and actions, which
 * run with the repository's secrets, and the agents themselves with their skills.
 */
export function isWriteProtected(segments: readonly string[]): boolean {
  const names = segments.map(foldName);
  return PROTECTED_PLACES.some((place) =>
    names.some((_, start) => place.every((name, index) => names[start + index] === name)),
  );
}

/** Places that must not be written in any folder: consecutive names of a path. */
export const PROTECTED_PLACES: readonly (readonly string[])[] = [
  ['.github'],
  ['action.yml'],
  ['action.yaml'],
  ['axe', 'agents'],
  ['axe', 'skills'],
  ['.axe'],
];

/**
 * A name as macOS and Windows would find it too: case, width, invisible characters, trailing dots
 * and spaces.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '');
}

/**
 * Places of credentials: a name or consecutive names, in any folder; a folder includes everything
 * below it. File tools, context files and skills do not read them, and the jail of commands hides
 * them.
 */
export const CREDENTIAL_PLACES: readonly string[] = [
  // git, ssh, gpg; `.git` holds the token of the checkout.
  '.git git~1 .git-credentials .config/git/credentials .ssh .gnupg .credentials .hgrc .hg/hgrc',
  '.subversion/auth .cvspass .password-store .config/gh .config/hub .config/glab-cli',
  '.config/github-copilot _runner_file_commands .credentials_rsaparams',
  // Files of names and passwords
  '.netrc _netrc .authinfo .authinfo.gpg .htpasswd .pgpass pgpass.conf .my.cnf .mylogin.cnf',
  '.fetchmailrc .msmtprc .curlrc .wgetrc .ftpconfig sftp-config.json .vscode/sftp.json rclone.conf',
  '.rclone.conf wp-config.php .erlang.cookie .Renviron .envrc .secret .secrets .passwd .config/op',
  '.config/sops .step/secrets',
  // Package registries
  '.npmrc .pypirc .pip/pip.conf .config/pip pip.conf .condarc pypoetry/auth.toml .gem/credentials',
  '.bundle/config .composer/auth.json composer/auth.json .hex/hex.config .cargo/credentials',
  '.cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties',
  '.sbt/credentials .nuget/NuGet/NuGet.Config .jfrog',
  // Containers and clusters
  '.docker .dockercfg .dockerconfigjson containers/auth.json .kube .config/helm k3s.yaml',
  // Clouds and services
  '.aws/credentials .aws/config .aws/sso .aws/cli .azure/accessTokens.json .boto .s3cfg',
  '.azure/msal_token_cache.json .azure/msal_token_cache.bin .azure/service_principal_entries.json',
  '.azure/service_principal_entries.bin .config/gcloud gcloud/legacy_credentials .gsutil credentials.db',
  'access_tokens.db .oci .bluemix .aliyun .tccli .config/doctl .config/hcloud .config/scw',
  '.config/linode-cli .config/configstore .config/stripe .config/rclone .config/ngrok .ngrok2',
  '.config/netlify com.vercel.cli/auth.json .fly .wrangler/config .circleci/cli.yml .travis/config.yml',
  '.databrickscfg .snowsql .sentryclirc .terraform.d .terraformrc terraform.rc .pulumi/credentials.json',
  '.vault-token .chef .streamlit/secrets.toml kaggle.json .cache/huggingface/token .huggingface/token',
  'oauth_creds.json .codex/auth.json .local/share/keyrings .local/share/opencode/auth.json',
].flatMap((line) => line.split(' '));

const PLACES: ReadonlySet<string> = new Set(CREDENTIAL_PLACES.map((place) => place.toLowerCase()));

/** Numbers of names that a place has. */
const LENGTHS = [...new Set(CREDENTIAL_PLACES.map((place) => place.split('/').length))];

/**
 * Names of files with credentials that have more than one form, in lower case. Examples are written
 * to be read.
 */
const CREDENTIAL_NAMES: readonly RegExp[] = [
  /^\.env(?!\.(?:example|sample|template|dist|defaults)$)(?:$|[.\-_])/,
  /^(?!(?:example|sample|template|dist|defaults?)\.env$).+\.env$/,
  /^\.dev\.vars(?:$|\.)/,
  /^\.yarnrc/,
  /^(?:.*[._-])?credentials\.(?:json|toml|ini)$/,
  /^(?:gha-creds-|client_secret).*\.json$/,
  /^git-credentials-/,
  /^(?:.*[._-])?service[._-]?account(?:[._-].*)?\.json$/,
  /^(?:.*-)?firebase-adminsdk.*\.json$/,
  /^secrets\.(?:json|ya?ml|toml|properties)$/,
  /^(?:.*[._-])?kubeconfig(?:\.(?:ya?ml|json|conf))?$/,
  /\.tfstate(?:\.backup)?$/,
  /^\.?vault[._-]?pass(?:word)?(?:\.txt)?$/,
  /^\.\w+_history$/,
  /^krb5cc/,
  // Private keys by the names that programs give them; `id_rsa.pub` is not a secret.
  /^id_[a-z0-9]+(?:_sk)?$/,
  /^ssh_host_[a-z0-9]+_key$/,
  /\.(?:pem|key|ppk|p8|p12|pfx|pkcs12|jks|jceks|bcfks|keystore|keytab|kdbx|ovpn)$/,
];

/** Absolute paths that are out of bounds for the file tools, each with all that lies below it. */
export interface ProtectedPaths {
  /** Neither read nor written. */
  readonly denied: readonly string[];
  /** Not written. */
  readonly readOnly: readonly string[];
  /** Memory, which has tools of its own: neither read nor written. Left out: none. */
  readonly memory?: readonly string[];
  /**
   * More that is not written, asked at each use: files that the run has read its instructions from.
   */
  readonly readOnlyNow?: () => readonly string[];
}

/** Variables that name a file or folder of the runner's, or one with credentials. */
const VARIABLES = [
  'RUNNER_TEMP',
  'GITHUB_EVENT_PATH',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_GHA_CREDS_PATH',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AZURE_FEDERATED_TOKEN_FILE',
  'KUBECONFIG',
  'NPM_CONFIG_USERCONFIG',
  'NETRC',
];

/**
 * Paths from the environment that the file tools must not use even inside the workspace: the
 * runner's temporary folder, which holds tokens and the files that control later steps, and
 * credentials. The action itself, if it is checked out in the workspace, is read-only.
 */
export function protectedPaths(env: Environment): ProtectedPaths {
  const action = env['GITHUB_ACTION_PATH'] ?? '';
  return {
    denied: VARIABLES.map((name) => env[name] ?? '').filter(isAbsolutePath),
    readOnly: [action].filter(isAbsolutePath),
  };
}

function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
}

/**
 * The filter of the folders in which memory is kept next to code. What is kept apart lies there
 * too and would reach `own` runs, so no reader but memory's own gives the model a file of them.
 * Letters are compared in any case, as file systems do that do not tell them apart.
 */
export function createMemoryFilter(roots: readonly string[]): (path: string) => boolean {
  const folders = roots.map(foldPath).filter((root) => root !== '');
  return (path) => {
    const folded = foldPath(path);
    return folders.some((root) => folded === root || folded.startsWith(`${root}/`));
  };
}

/** Tells the model why it cannot read a path. */
export const IS_MEMORY =
  'is out of bounds: memory is kept there, which only the memory tools can read';

function foldPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .normalize('NFC')
    .toLowerCase();
}
