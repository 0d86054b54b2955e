#pragma once
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// GNU extensions that Swift's Glibc module hides because it is built without _GNU_SOURCE.
int pthread_setname_np(pthread_t thread, const char *name);
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
