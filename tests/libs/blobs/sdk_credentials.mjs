// Runs AWS's own credential providers against the endpoints of s3_server.mjs, and stores and reads an object with the issued keys. argv[2]:
// a JSON file with `issuer`, `endpoint`, `agentToken` and `identityToken` (files). Prints the key id that each provider got.
import { readFileSync } from "node:fs";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { fromHttp } from "@aws-sdk/credential-provider-http";
import { fromTokenFile } from "@aws-sdk/credential-provider-web-identity";

const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.env.AWS_REGION = "eu-central-1";
process.env.AWS_ENDPOINT_URL_STS = input.issuer;

const providers = {
  container: fromHttp({
    awsContainerCredentialsFullUri: `${input.issuer}/credentials`,
    awsContainerAuthorizationTokenFile: input.token,
  }),
  "web-identity": fromTokenFile({
    webIdentityTokenFile: input.token,
    roleArn: "arn:aws:iam::123456789012:role/app",
    roleSessionName: "sdk",
  }),
};

for (const [name, credentials] of Object.entries(providers)) {
  const client = new S3Client({ region: "eu-central-1", endpoint: input.endpoint, forcePathStyle: true, credentials,
    requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" });
  const object = { Bucket: "attachments", Key: `sdk/${name}` };
  await client.send(new PutObjectCommand({ ...object, Body: name }));
  const answer = await client.send(new GetObjectCommand(object));
  if ((await answer.Body.transformToString()) !== name) throw new Error(`${name}: another object came back`);
  console.log(name, (await client.config.credentials()).accessKeyId);
}
