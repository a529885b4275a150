// Every flow of openid-client against a running demo: node flows.mjs BASE. It prints one line for each
// flow that passed, and ends with an error at the first that did not.
import assert from 'node:assert/strict'
import * as client from 'openid-client'
import { Browser } from './browser.mjs'

const [base] = process.argv.slice(2)
const insecure = { execute: [client.allowInsecureRequests] } // the demo is on loopback
const redirect = 'http://127.0.0.1:8765/callback'
const passed = (flow) => console.log(`passed: ${flow}`)

const discover = (id, secret, authentication) => client.discovery(new URL(base), id, secret, authentication, insecure)

async function clientCredentials() {
  const authentications = { client_secret_post: client.ClientSecretPost, client_secret_basic: client.ClientSecretBasic }
  for (const [name, authentication] of Object.entries(authentications)) {
    const config = await discover('demo', 'demo-secret', authentication('demo-secret'))
    const tokens = await client.clientCredentialsGrant(config)
    assert.equal(tokens.token_type, 'bearer')
    assert.ok(tokens.refresh_expires_in > tokens.expires_in)
    const index = await client.fetchProtectedResource(config, tokens.access_token, new URL(`${base}/v1/`), 'GET')
    assert.ok((await index.json())._links.searchVideos.href)
    passed(`client_credentials with ${name}`)
  }
}

async function refresh(config, tokens) {
  const next = await client.refreshTokenGrant(config, tokens.refresh_token)
  assert.notEqual(next.refresh_token, tokens.refresh_token)
  const again = await client.refreshTokenGrant(config, tokens.refresh_token) // as after a lost response
  assert.equal(again.refresh_token, next.refresh_token)
  await client.refreshTokenGrant(config, next.refresh_token)
  await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_grant' })
  passed('refresh_token, which is good for one successor')
}

async function authorizationCode() {
  const config = await discover('demo-web', undefined, client.None())
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const nonce = client.randomNonce()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirect, scope: 'openid profile email', state, nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  const browser = new Browser()
  const returned = await browser.signIn(address, redirect, { username: 'teacher', password: 'demo-secret' })
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, returned, checks)
  const claims = tokens.claims()
  assert.equal(claims.nonce, nonce)
  passed('authorization_code with PKCE, state, nonce and iss')

  const user = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
  assert.ok(user.email && user.name)
  passed('userinfo')
  await refresh(config, tokens)
  await assert.rejects(client.authorizationCodeGrant(config, returned, checks), { error: 'invalid_grant' })
  passed('a code is good for one exchange')
  return { browser, tokens, config }
}

async function introspectionAndRevocation() {
  const config = await discover('demo', 'demo-secret')
  const tokens = await client.clientCredentialsGrant(config)
  assert.equal((await client.tokenIntrospection(config, tokens.access_token)).active, true)
  passed('introspection')
  await client.tokenRevocation(config, tokens.refresh_token)
  assert.equal((await client.tokenIntrospection(config, tokens.access_token)).active, false)
  await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_grant' })
  passed('revocation, of all that came from one sign-in')
}

async function logout({ browser, tokens, config }) {
  const address = client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token, post_logout_redirect_uri: 'http://127.0.0.1:8765/', state: 'gone',
  })
  const returned = await browser.follow(address, 'http://127.0.0.1:8765/')
  assert.equal(returned.searchParams.get('state'), 'gone')
  const silent = client.buildAuthorizationUrl(config, {
    redirect_uri: redirect, scope: 'openid', prompt: 'none', state: 's',
    code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()), code_challenge_method: 'S256',
  })
  const refused = await browser.follow(silent, redirect)
  assert.equal(refused.searchParams.get('error'), 'login_required')
  passed('logout, after which there is no session')
}

await clientCredentials()
await introspectionAndRevocation()
await logout(await authorizationCode())
