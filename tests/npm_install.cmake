# Puts what a folder of tests needs of npm, with its scripts (JavaScript and TypeScript), into the build tree:
# cmake -DSOURCE=... -DDEST=... [-DSHARED=...] -P npm_install.cmake. SHARED is a folder of scripts that come along.
# An unchanged lock file is installed once. Without npm, or without a registry, this fails and says so.
cmake_minimum_required(VERSION 3.25)

find_program(node node)
find_program(npm npm)
if(NOT node OR NOT npm)
  message(FATAL_ERROR "These tests need node (18 or newer) and npm, which are not installed: apt-get install nodejs npm")
endif()

file(MAKE_DIRECTORY ${DEST})
file(GLOB old ${DEST}/*.mjs ${DEST}/*.ts)
if(old)
  file(REMOVE ${old})
endif()
set(scripts)
foreach(folder ${SOURCE} ${SHARED})
  file(GLOB own ${folder}/*.mjs ${folder}/*.ts ${folder}/tsconfig.json)
  list(APPEND scripts ${own})
endforeach()
file(COPY ${scripts} DESTINATION ${DEST})
file(SHA256 ${SOURCE}/package-lock.json lock)
set(stamp ${DEST}/installed-${lock})
if(EXISTS ${stamp})
  return()
endif()

file(GLOB settings ${SOURCE}/.npmrc)
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${settings} DESTINATION ${DEST})
execute_process(
  COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --fetch-retries=4
  WORKING_DIRECTORY ${DEST}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "These tests need packages of the npm registry, and `npm ci` failed (${result}); "
                      "is the registry reachable?\n${output}")
endif()
file(TOUCH ${stamp})
