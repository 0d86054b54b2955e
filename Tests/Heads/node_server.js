// What node's server (llhttp) has read of each request, in a header of its answer. Argument: the descriptor of a socket
// that listens.
const http = require("http");

const answer = (request, response) => {
  request.resume();
  const read = JSON.stringify([request.method, request.url, request.rawHeaders]);
  response.setHeader("X-Read", Buffer.from(read).toString("base64"));
  response.setHeader("Content-Length", 0);
  response.end();
};
const server = http.createServer({ maxHeaderSize: 32768 }, answer);
// What others would not know how to go on with, we would not either: it is a request like any other here.
server.on("checkExpectation", answer);
// Behind these two node reads no more HTTP.
const end = (request, socket) => {
  const read = JSON.stringify([request.method, request.url, request.rawHeaders]);
  socket.end(`HTTP/1.1 405 -\r\nX-Read: ${Buffer.from(read).toString("base64")}\r\nContent-Length: 0\r\n\r\n`);
};
server.on("connect", end);
server.on("upgrade", end);
server.listen({ fd: Number(process.argv[2]) });
