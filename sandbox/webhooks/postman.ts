import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Posts webhook messages, each over a new connection. */
export class Postman {
  private readonly http = new HttpAgent({ keepAlive: false });
  private readonly https = new HttpsAgent({ keepAlive: false });

  constructor(private readonly timeoutMs: number) {}

  /** Returns the receiver's status; rejects if no answer arrives in time. */
  post(url: string, message: string, headers: Record<string, string>): Promise<number> {
    const target = new URL(url);
    const secure = target.protocol === 'https:';
    const body = Buffer.from(message);
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(body.length),
        ...headers,
      },
      agent: secure ? this.https : this.http,
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(target, options, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          resolve(response.statusCode ?? 0);
        });
      });
      const tooLate = new Error('The receiver did not answer in time');
      const timer = setTimeout(() => request.destroy(tooLate), this.timeoutMs);
      request.on('close', () => {
        clearTimeout(timer);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}
