/**
 * Where programs keep credentials: a name, or names one after the other, wherever they lie; a folder with all below it.
 * The one list: file tools, context files and skills do not read them, and the jail of commands hides them.
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

/** Names of files with credentials that have more than one form, in lower case. Examples are written to be read. */
export const CREDENTIAL_NAMES: readonly RegExp[] = [
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
