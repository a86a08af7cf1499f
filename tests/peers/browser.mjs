// Drives Chromium. Each line on stdin is a JSON array of steps and is answered with one line: {"results": what each step
// came to, "console": errors and warnings, "requests": URLs that were fetched}, or {"failed": why}. A step is one of
//   {"open": FILE, "width"?, "height"?, "dark"?: true, "script"?: false}   a fresh page
//   {"press": KEY} {"type": TEXT} {"click": SELECTOR} {"choose": [SELECTOR, VALUE]} {"shot": FILE}
//   {"eval": EXPRESSION}   its value is the result
// Everything is closed after each line.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import readline from 'node:readline';
import { chromium } from 'playwright-core';
import { print } from './peer.mjs';

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

async function open(state, { open: file, width = 1280, height = 900, dark = false, script = true }) {
  await state.context?.close();
  state.context = await state.browser.newContext({
    viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: script });
  state.page = await state.context.newPage();
  state.page.on('console', (m) => ['error', 'warning'].includes(m.type()) && state.said.push(m.text()));
  state.page.on('pageerror', (e) => state.said.push(e.message));
  state.page.on('request', (r) => state.requests.push(r.url()));
  await state.page.goto(pathToFileURL(file).href);
}

async function run(state, step) {
  const { page } = state;
  if ('open' in step) return open(state, step);
  if ('press' in step) return page.keyboard.press(step.press);
  if ('type' in step) return page.keyboard.type(step.type);
  if ('click' in step) return page.click(step.click);
  if ('choose' in step) return page.selectOption(...step.choose);
  if ('shot' in step) return void await page.screenshot({ path: step.shot });
  return page.evaluate(step.eval);
}

async function runAll(browser, steps) {
  const state = { browser, said: [], requests: [] };
  const results = [];
  try {
    for (const step of steps) results.push((await run(state, step)) ?? null);
    return { results, console: state.said, requests: state.requests };
  } catch (error) {
    return { failed: error.message };
  } finally {
    await state.context?.close();
  }
}

const home = mkdtempSync(path.join(os.tmpdir(), 'browser-'));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGS, env: { ...process.env, HOME: home } });
for await (const line of readline.createInterface({ input: process.stdin })) print(await runAll(browser, JSON.parse(line)));
await browser.close();
rmSync(home, { recursive: true, force: true });
