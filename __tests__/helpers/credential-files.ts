/**
 * Files in which programs keep credentials, as somebody would find them in a checkout or a home
 * folder.
 */
export const CREDENTIAL_FILES: readonly string[] = words(`
  .git/config sub/.git/hooks/pre-commit .git-credentials .config/git/credentials .ssh/id_ed25519
  deploy/id_rsa id_ed25519_sk etc/ssh_host_ed25519_key .gnupg/secring.gpg .netrc _netrc .authinfo
  .htpasswd .pgpass .my.cnf .msmtprc rclone.conf wp-config.php .Renviron .bash_history .env .env.local
  .env.production.local .env.test .env-staging config/prod.env .envrc .dev.vars .secrets
  config/secrets.yml .npmrc packages/a/.npmrc .yarnrc .yarnrc.yml .pypirc .config/pip/pip.conf
  .gem/credentials .bundle/config .composer/auth.json .cargo/credentials.toml .m2/settings.xml
  .gradle/gradle.properties .nuget/NuGet/NuGet.Config .docker/config.json .docker/contexts/meta/x.json
  .dockercfg .config/containers/auth.json .kube/config .kube/cache/token kubeconfig
  staging.kubeconfig.yaml .aws/credentials .aws/sso/cache/1.json .azure/msal_token_cache.json
  .config/gcloud/access_tokens.db application_default_credentials.json credentials.json
  service-account.json keys/prod_service_account_key.json app-firebase-adminsdk-x1.json
  client_secret_1.apps.googleusercontent.com.json gha-creds-0123456789abcdef.json git-credentials-1.config
  .boto .s3cfg .oci/config .config/doctl/config.yaml .config/gh/hosts.yml
  .config/github-copilot/hosts.json .databrickscfg .sentryclirc .terraform.d/credentials.tfrc.json
  .terraformrc infra/terraform.tfstate infra/terraform.tfstate.backup .pulumi/credentials.json
  .vault-token .vault_pass .streamlit/secrets.toml .kaggle/kaggle.json .claude/.credentials.json
  .codex/auth.json certs/server.pem certs/tls.key certs/store.p12 AuthKey_1.p8 http.keytab
  .credentials_rsaparams _temp/_runner_file_commands/set_env_1`);

/** Files whose names resemble those, and that are read. */
export const HARMLESS_FILES: readonly string[] = words(`
  .gitignore .github/workflows/ci.yml git/config src/id_map.ts src/credentials/index.ts aws-credentials.ts
  locales/en/auth.json charts/app/templates/secret.yaml main.tf terraform.tfvars id_ed25519.pub
  docs/pem.md .envoy.yaml .cargo/config.toml .aws/task-definition.json .env.example .env.sample
  example.env docs/ssh.md creds.json src/env.ts gradle.properties`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
