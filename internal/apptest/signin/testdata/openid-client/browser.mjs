// Browser keeps cookies, follows redirects by hand and fills in the sign-in form: as much of a browser as
// the flows need.
export class Browser {
  #cookies = new Map()

  async #fetch(address, options = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', ...options.headers, ...(cookie && { cookie }) }
    const answer = await fetch(address, { ...options, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }

  // follow goes from address to address until one begins with end, and returns that.
  async follow(address, end, answer) {
    let at = new URL(address)
    for (let step = 0; step < 10; step++) {
      answer ??= await this.#fetch(at)
      const to = answer.headers.get('location')
      if (!to) throw new Error(`${at} answers ${answer.status}: ${await answer.text()}`)
      at = new URL(to, at)
      if (at.href.startsWith(end)) return at
      answer = undefined
    }
    throw new Error('too many redirects')
  }

  // signIn opens address, fills the form in, and goes on to end.
  async signIn(address, end, fields) {
    const page = await this.#fetch(address)
    const html = await page.text()
    const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html)
    if (!form) throw new Error(`no form: ${page.status} ${html}`)
    const body = new URLSearchParams()
    for (const [input] of form[2].matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
      body.set(/name="([^"]*)"/.exec(input)[1], unescape(/value="([^"]*)"/.exec(input)[1]))
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const to = new URL(unescape(form[1]), address)
    const answer = await this.#fetch(to, { method: 'POST', body, headers: { origin: to.origin } })
    return this.follow(to, end, answer)
  }
}

const unescape = (text) => text.replaceAll('&#43;', '+').replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
